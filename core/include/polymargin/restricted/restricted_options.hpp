// What restricted solvers that are not exact are told.
#pragma once

namespace polymargin {

struct RestrictedOptions {
  RestrictedOptions(double tolerance = 0, int rounds = 1) : tau(tolerance), sweeps(rounds) {}

  double tau;  // of "bisection", "bisection_printed" and "fixed_point"
  int sweeps;  // of "smo"
};

}  // namespace polymargin
