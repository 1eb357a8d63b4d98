// The machines of a margin, with every restricted solver: for the files that instantiate them.
#pragma once

#include "polymargin/machine/box_machine.hpp"
#include "polymargin/machine/make_machine.hpp"
#include "polymargin/machine/printed_bisection.hpp"
#include "polymargin/machine/simplex_machine.hpp"
#include "polymargin/restricted/box_exact.hpp"
#include "polymargin/restricted/box_two_couplings_exact.hpp"
#include "polymargin/restricted/make_solver.hpp"
#include "polymargin/restricted/simplex_coupled_exact.hpp"
#include "polymargin/restricted/simplex_exact.hpp"

namespace polymargin {

template <class Real>
using Made = std::shared_ptr<const Machine<Real>>;

inline Targets targets_of(const MachineAxes& axes) {
  return {axes.label_target, axes.other_target, axes.pair_targets};
}

template <class Real, class Margin, Penalty Squares>
inline Made<Real> make_box(const MachineAxes& axes, const std::string& restricted) {
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
inline Made<Real> make_sum(const MachineAxes& axes, const std::string& restricted) {
  if (axes.loss == "hinge") return make_box<Real, Margin, Penalty::none>(axes, restricted);
  if (axes.loss == "squared_hinge")
    return make_box<Real, Margin, Penalty::of_each>(axes, restricted);
  return nullptr;
}

// The largest hinge or its square. Solvers of simplex_problem.hpp take the slack for the label's
// variable, which it is for relative margins alone.
template <class Real, class Margin>
inline Made<Real> make_maximum(const MachineAxes& axes, const std::string& restricted,
                               const RestrictedOptions& options) {
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
  if constexpr (std::is_same_v<Margin, RelativeMargin>)
    if (restricted == "bisection_printed")
      return std::make_shared<PrintedBisection<Real>>(targets_of(axes), options.tau);
  if constexpr (kRelative)
    if (auto solver = make_simplex_solver<Real>(restricted, options))
      return std::make_shared<SimplexMachine<Real, Margin, AnySimplex<Real>>>(
          targets_of(axes), AnySimplex<Real>(std::move(solver)));
  return nullptr;
}

// Machines with a target for every pair of a label and a class: pair_target_machines.cpp.
template <class Real>
Made<Real> make_with_pair_targets(const MachineAxes& axes, const std::string& restricted,
                                  const RestrictedOptions& options);

}  // namespace polymargin
