// The ways to choose variables, instantiated once.
#include <stdexcept>

#include "polymargin/driver/kernel/box_selection.hpp"
#include "polymargin/driver/kernel/simplex_selection.hpp"

namespace polymargin {

namespace {

template <class Real, class Margin>
std::unique_ptr<Selection<Real>> make_with(Decomposition<Real>& problem, const MachineAxes& axes,
                                           bool by_gain) {
  if (!axes.pair_targets.empty()) return nullptr;
  const Targets targets{axes.label_target, axes.other_target};
  const bool squared = axes.loss == "squared_hinge";
  if (axes.aggregation == "sum" && (squared || axes.loss == "hinge"))
    return std::make_unique<BoxSelection<Real, Margin>>(problem, targets, squared, by_gain);
  // Classes that do not meet, and a label alone, have no maximum to speak of.
  if constexpr (Margin::kOthersHaveVariables && Margin::rho(2) != 0)
    if (axes.aggregation == "max" && axes.loss == "hinge")
      return std::make_unique<SimplexSelection<Real, Margin>>(problem, targets);
  return nullptr;
}

template <class Real>
std::unique_ptr<Selection<Real>> make_any(Decomposition<Real>& problem, const MachineAxes& axes,
                                          bool by_gain) {
  if (axes.is_relative() && axes.variables == "others" && !axes.sums_to_zero)
    return make_with<Real, RelativeMargin>(problem, axes, by_gain);
  if (axes.label_may_be_outside())
    return make_with<Real, AbsoluteMargin<Variables::all, false>>(problem, axes, by_gain);
  if (!axes.is_absolute() || !axes.sums_to_zero) return nullptr;
  if (axes.variables == "others")
    return make_with<Real, AbsoluteMargin<Variables::others, true>>(problem, axes, by_gain);
  if (axes.variables == "all")
    return make_with<Real, AbsoluteMargin<Variables::all, true>>(problem, axes, by_gain);
  if (axes.variables == "label")
    return make_with<Real, AbsoluteMargin<Variables::label, true>>(problem, axes, by_gain);
  return nullptr;
}

}  // namespace

template <class Real>
std::unique_ptr<Selection<Real>> make_selection(Decomposition<Real>& problem,
                                                const MachineAxes& axes, bool by_gain) {
  auto made = make_any<Real>(problem, axes, by_gain);
  if (!made)
    throw std::invalid_argument("no choice of variables for a machine with " + axes.description());
  return made;
}

template std::unique_ptr<Selection<float>> make_selection<float>(Decomposition<float>&,
                                                                 const MachineAxes&, bool);
template std::unique_ptr<Selection<double>> make_selection<double>(Decomposition<double>&,
                                                                   const MachineAxes&, bool);

}  // namespace polymargin
