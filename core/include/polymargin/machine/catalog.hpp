// Machines by name: "cs", "ww", "llw" or "ovr" with "hinge" or "squared_hinge", "ovr" with
// "logistic", "maxent" with "log"; and a restricted solver.
#pragma once

#include <memory>
#include <string>

#include "polymargin/machine/machine.hpp"

namespace polymargin {

// `tau` is the tolerance of the restricted solvers that have one. Throws std::invalid_argument for
// a combination that does not exist.
template <class Real>
std::shared_ptr<const Machine<Real>> make_machine(const std::string& machine,
                                                  const std::string& loss,
                                                  const std::string& restricted, double tau);

}  // namespace polymargin
