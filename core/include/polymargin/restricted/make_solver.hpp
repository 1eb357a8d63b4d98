// Restricted solvers by name.
#pragma once

#include <memory>
#include <string>

#include "polymargin/restricted/box_active_set.hpp"
#include "polymargin/restricted/restricted_options.hpp"
#include "polymargin/restricted/simplex_active_set.hpp"
#include "polymargin/restricted/simplex_bisection.hpp"
#include "polymargin/restricted/simplex_exponentiated_gradient.hpp"
#include "polymargin/restricted/simplex_fixed_point.hpp"
#include "polymargin/restricted/simplex_frank_wolfe.hpp"
#include "polymargin/restricted/simplex_pivot.hpp"
#include "polymargin/restricted/simplex_smo.hpp"
#include "polymargin/restricted/simplex_sort.hpp"

namespace polymargin {

// Null where there is no such solver; "exact" and "bisection_printed" are built into machines.
template <class Real>
std::shared_ptr<const SimplexSolver<Real>> make_simplex_solver(const std::string& name,
                                                               const RestrictedOptions& options) {
  const double tau = options.tau;
  if (name == "sort") return std::make_shared<SimplexSort<Real>>();
  if (name == "pivot") return std::make_shared<SimplexPivot<Real>>();
  if (name == "bisection") return std::make_shared<SimplexBisection<Real>>(tau);
  if (name == "active_set") return std::make_shared<SimplexActiveSet<Real>>();
  if (name == "smo") return std::make_shared<SimplexSmo<Real>>(options.sweeps);
  if (name == "frank_wolfe") return std::make_shared<SimplexFrankWolfe<Real>>();
  if (name == "fixed_point") return std::make_shared<SimplexFixedPoint<Real>>(tau);
  if (name == "exponentiated_gradient")
    return std::make_shared<SimplexExponentiatedGradient<Real>>();
  return nullptr;
}

template <class Real>
std::shared_ptr<const BoxSolver<Real>> make_box_solver(const std::string& name) {
  if (name == "active_set") return std::make_shared<BoxActiveSet<Real>>();
  return nullptr;
}

}  // namespace polymargin
