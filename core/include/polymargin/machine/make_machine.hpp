// Machines from their axes, and a restricted solver by name.
#pragma once

#include <memory>
#include <string>

#include "polymargin/machine/axes.hpp"
#include "polymargin/machine/machine.hpp"
#include "polymargin/restricted/restricted_options.hpp"

namespace polymargin {

// Throws std::invalid_argument for a combination that does not exist.
template <class Real>
std::shared_ptr<const Machine<Real>> make_machine(const MachineAxes& axes,
                                                  const std::string& restricted,
                                                  const RestrictedOptions& options);

}  // namespace polymargin
