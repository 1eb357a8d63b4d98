// Every combination of axes that exists, with every restricted solver, instantiated once.
#include <stdexcept>

#include "margin_machines.hpp"
#include "polymargin/machine/logistic.hpp"
#include "polymargin/machine/max_entropy.hpp"
#include "polymargin/restricted/entropy_pairs.hpp"
#include "polymargin/restricted/entropy_simplex.hpp"

namespace polymargin {

namespace {

template <class Real>
Made<Real> make_relative(const MachineAxes& axes, const std::string& restricted,
                         const RestrictedOptions& options) {
  if (axes.variables != "others" || axes.sums_to_zero) return nullptr;
  if (axes.aggregation == "max")
    return make_maximum<Real, RelativeMargin>(axes, restricted, options);
  if (axes.aggregation != "sum") return nullptr;
  if (axes.loss != "log") return make_sum<Real, RelativeMargin>(axes, restricted);
  if (restricted == "exact") return std::make_shared<MaxEntropy<Real, EntropySimplex>>();
  if (restricted == "pairs") return std::make_shared<MaxEntropy<Real, EntropyPairs>>();
  return nullptr;
}

template <class Real>
Made<Real> make_absolute(const MachineAxes& axes, const std::string& restricted,
                         const RestrictedOptions& options) {
  using Others = AbsoluteMargin<Variables::others, true>;
  using All = AbsoluteMargin<Variables::all, true>;
  if (axes.label_may_be_outside()) {
    if (axes.loss != "logistic")
      return make_sum<Real, AbsoluteMargin<Variables::all, false>>(axes, restricted);
    return restricted == "exact" ? std::make_shared<Logistic<Real>>() : nullptr;
  }
  if (!axes.sums_to_zero) return nullptr;
  if (axes.aggregation == "sum") {
    if (axes.variables == "others") return make_sum<Real, Others>(axes, restricted);
    if (axes.variables == "all") return make_sum<Real, All>(axes, restricted);
    if (axes.variables == "label")
      return make_sum<Real, AbsoluteMargin<Variables::label, true>>(axes, restricted);
  }
  if (axes.aggregation == "max") {
    if (axes.variables == "others") return make_maximum<Real, Others>(axes, restricted, options);
    if (axes.variables == "all") return make_maximum<Real, All>(axes, restricted, options);
  }
  return nullptr;
}

}  // namespace

template <class Real>
std::shared_ptr<const Machine<Real>> make_machine(const MachineAxes& axes,
                                                  const std::string& restricted,
                                                  const RestrictedOptions& options) {
  Made<Real> made;
  if (!axes.pair_targets.empty())
    made = make_with_pair_targets<Real>(axes, restricted, options);
  else if (axes.is_relative())
    made = make_relative<Real>(axes, restricted, options);
  else if (axes.is_absolute())
    made = make_absolute<Real>(axes, restricted, options);
  if (!made)
    throw std::invalid_argument("no machine with " + axes.description() +
                                " and restricted solver " + restricted);
  return made;
}

template std::shared_ptr<const Machine<float>> make_machine<float>(const MachineAxes&,
                                                                   const std::string&,
                                                                   const RestrictedOptions&);
template std::shared_ptr<const Machine<double>> make_machine<double>(const MachineAxes&,
                                                                     const std::string&,
                                                                     const RestrictedOptions&);

}  // namespace polymargin
