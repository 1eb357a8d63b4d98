// Every combination of axes that exists, with every restricted solver, instantiated once.
#include <stdexcept>

#include "polymargin/machine/box_machine.hpp"
#include "polymargin/machine/logistic.hpp"
#include "polymargin/machine/make_machine.hpp"
#include "polymargin/machine/max_entropy.hpp"
#include "polymargin/machine/simplex_machine.hpp"
#include "polymargin/restricted/box_exact.hpp"
#include "polymargin/restricted/box_two_couplings_exact.hpp"
#include "polymargin/restricted/entropy_pairs.hpp"
#include "polymargin/restricted/entropy_simplex.hpp"
#include "polymargin/restricted/make_solver.hpp"
#include "polymargin/restricted/simplex_coupled_exact.hpp"
#include "polymargin/restricted/simplex_exact.hpp"

namespace polymargin {

namespace {

template <class Real>
using Made = std::shared_ptr<const Machine<Real>>;

Targets targets_of(const MachineAxes& axes) { return {axes.label_target, axes.other_target}; }

template <class Real, class Margin, Penalty Squares>
Made<Real> make_box(const MachineAxes& axes, const std::string& restricted) {
  using Exact = BoxExact<Margin::kSigned>;
  if (restricted == "exact")
    return std::make_shared<BoxMachine<Real, Margin, Squares, Exact>>(targets_of(axes));
  if (auto solver = make_box_solver<Real>(restricted))
    return std::make_shared<BoxMachine<Real, Margin, Squares, AnyBox<Real>>>(
        targets_of(axes), AnyBox<Real>(std::move(solver)));
  return nullptr;
}

// The sum of hinges or squared hinges.
template <class Real, class Margin>
Made<Real> make_sum(const MachineAxes& axes, const std::string& restricted) {
  if (axes.loss == "hinge") return make_box<Real, Margin, Penalty::none>(axes, restricted);
  if (axes.loss == "squared_hinge")
    return make_box<Real, Margin, Penalty::of_each>(axes, restricted);
  return nullptr;
}

// The largest hinge or its square. Solvers of simplex_problem.hpp take the slack for the label's
// variable, which it is for relative margins alone.
template <class Real, class Margin>
Made<Real> make_maximum(const MachineAxes& axes, const std::string& restricted, double tau) {
  constexpr bool kRelative = Margin::rho(2) > 0;
  using Exact = std::conditional_t<kRelative, SimplexExact, SimplexCoupledExact<Margin::kSigned>>;
  if (axes.loss == "squared_hinge") {
    if constexpr (!Margin::kSigned)
      return make_box<Real, Margin, Penalty::of_sum>(axes, restricted);
    else if (restricted == "exact")
      return std::make_shared<BoxMachine<Real, Margin, Penalty::of_sum, BoxTwoCouplingsExact>>(
          targets_of(axes));
  }
  if (axes.loss != "hinge") return nullptr;
  if (restricted == "exact")
    return std::make_shared<SimplexMachine<Real, Margin, Exact>>(targets_of(axes));
  if constexpr (kRelative)
    if (auto solver = make_simplex_solver<Real>(restricted, tau))
      return std::make_shared<SimplexMachine<Real, Margin, AnySimplex<Real>>>(
          targets_of(axes), AnySimplex<Real>(std::move(solver)));
  return nullptr;
}

template <class Real>
Made<Real> make_relative(const MachineAxes& axes, const std::string& restricted, double tau) {
  if (axes.variables != "others" || axes.sums_to_zero) return nullptr;
  if (axes.aggregation == "max") return make_maximum<Real, RelativeMargin>(axes, restricted, tau);
  if (axes.aggregation != "sum") return nullptr;
  if (axes.loss != "log") return make_sum<Real, RelativeMargin>(axes, restricted);
  if (restricted == "exact") return std::make_shared<MaxEntropy<Real, EntropySimplex>>();
  if (restricted == "pairs") return std::make_shared<MaxEntropy<Real, EntropyPairs>>();
  return nullptr;
}

template <class Real>
Made<Real> make_absolute(const MachineAxes& axes, const std::string& restricted, double tau) {
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
    if (axes.variables == "others") return make_maximum<Real, Others>(axes, restricted, tau);
    if (axes.variables == "all") return make_maximum<Real, All>(axes, restricted, tau);
  }
  return nullptr;
}

}  // namespace

template <class Real>
std::shared_ptr<const Machine<Real>> make_machine(const MachineAxes& axes,
                                                  const std::string& restricted, double tau) {
  Made<Real> made;
  if (axes.is_relative()) made = make_relative<Real>(axes, restricted, tau);
  if (axes.is_absolute()) made = make_absolute<Real>(axes, restricted, tau);
  if (!made)
    throw std::invalid_argument("no machine with " + axes.description() +
                                " and restricted solver " + restricted);
  return made;
}

template std::shared_ptr<const Machine<float>> make_machine<float>(const MachineAxes&,
                                                                   const std::string&, double);
template std::shared_ptr<const Machine<double>> make_machine<double>(const MachineAxes&,
                                                                     const std::string&, double);

}  // namespace polymargin
