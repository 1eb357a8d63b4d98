// Machines with class costs: a target for every pair of a label and a class. They are those whose
// variables are of the classes other than the label, the ones that a mistake may name.
#include "margin_machines.hpp"
#include "polymargin/machine/pair_targets.hpp"

namespace polymargin {

template <class Real>
Made<Real> make_with_pair_targets(const MachineAxes& axes, const std::string& restricted,
                                  const RestrictedOptions& options) {
  using Relative = PairTargets<Real, RelativeMargin>;
  using Absolute = PairTargets<Real, AbsoluteMargin<Variables::others, true>>;
  if (axes.variables != "others" || axes.is_relative() == axes.sums_to_zero) return nullptr;
  const bool relative = axes.is_relative();
  if (axes.aggregation == "sum")
    return relative ? make_sum<Real, Relative>(axes, restricted)
                    : make_sum<Real, Absolute>(axes, restricted);
  if (axes.aggregation == "max")
    return relative ? make_maximum<Real, Relative>(axes, restricted, options)
                    : make_maximum<Real, Absolute>(axes, restricted, options);
  return nullptr;
}

template Made<float> make_with_pair_targets<float>(const MachineAxes&, const std::string&,
                                                   const RestrictedOptions&);
template Made<double> make_with_pair_targets<double>(const MachineAxes&, const std::string&,
                                                     const RestrictedOptions&);

}  // namespace polymargin
