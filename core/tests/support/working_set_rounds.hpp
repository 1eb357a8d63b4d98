// Kernel machines that are trained by working sets, with what every round is held to.
#pragma once

#include "kernel_problems.hpp"
#include "polymargin/driver/kernel/working_sets.hpp"

namespace polymargin::test {

// Kernel rows are put into the cache between choosing and solving, as the driver in Python does.
template <class Real>
struct WorkingSetTrained : KernelState<Real, ScoresByClass<Real>> {
  using Base = KernelState<Real, ScoresByClass<Real>>;
  using Base::problem, Base::definition, Base::state;

  WorkingSetTrained(const KernelProblem<Real>& problem, const KernelMachine& choice,
                    std::int64_t cached_rows, std::uint64_t seed)
      : Base(problem, choice, cached_rows), solver(*state, seed) {}

  void fetch(std::span<const std::int32_t> examples) {
    KernelCache<Real>& cache = state->cache();
    std::vector<std::int32_t> missing;
    for (std::int32_t i : examples)
      if (!cache.find(i)) missing.push_back(i);
    for (std::int32_t i : missing) {
      Real* row = cache.insert(i);
      for (std::int32_t j : state->columns()) *row++ = problem.kernel[i * problem.size + j];
    }
  }

  // One round; the dual objective grows, as counted and, looked at now and then, in truth. False
  // if no violation is above the goal.
  bool round(std::int64_t size, std::int64_t fresh, double goal = 0) {
    const std::vector<std::int32_t> working =
        solver.select(std::min(size, state->cache().capacity()), fresh);
    if (working.empty() || solver.violation() <= goal) return false;
    fetch(working);
    const double counted = state->dual();
    const std::int64_t visits = solver.visits(), moves = solver.moves();
    CHECK(!solver.solve(working, 0.1 * solver.violation(), never));
    CHECK_AT_MOST(counted, state->dual() + 1e-15L * (state->half_norm() + solver.loss_sum()));
    CHECK(solver.visits() > visits && solver.moves() > moves);
    CHECK(solver.moves() - moves <= solver.visits() - visits);
    if (rounds++ % 8 == 0) check_dual();
    return true;
  }

  void check_dual() {
    const auto values = this->values();
    const Wide rounding = (kIsFloat<Real> ? 1e-5L : 1e-12L) * values.primal;
    CHECK_AT_MOST(last_dual, values.dual + rounding);
    CHECK_NEAR(state->dual(), values.dual, rounding);
    CHECK_AT_MOST(values.dual, values.primal + rounding);
    last_dual = values.dual;
  }

  // Until all violations of the examples with columns are within the goal.
  void train(double goal, std::int64_t size, std::int64_t fresh) {
    for (int r = 0; r < 3000 && round(size, fresh, goal); ++r) {
    }
    CHECK_AT_MOST(solver.violation(), goal);
    check_dual();
  }

  // Scores of all examples from the dual variables, some rows at a time.
  void rebuild() {
    state->restore_columns();
    state->clear_scores();
    const std::vector<std::int32_t> support = state->support();
    const std::size_t step = state->cache().capacity();
    for (std::size_t p = 0; p < support.size(); p += step) {
      const std::span some = std::span(support).subspan(p, std::min(step, support.size() - p));
      fetch(some);
      state->add_blocks(some);
    }
  }

  // The scores that are kept are those of the dual variables.
  void check_scores() {
    const std::vector<Vector> expected = this->scores();
    const Wide rounding = kIsFloat<Real> ? 1e-4L : 1e-11L;
    for (std::int32_t i : state->columns())
      for (int m = 0; m < problem.classes; ++m)
        CHECK_NEAR(state->score(i)[m], expected[i][m], rounding * (1 + std::fabs(expected[i][m])));
  }

  // A violation of g costs at most C_i g for every class.
  void check_optimum(double goal) {
    Wide loss_weights = 0;
    for (Real loss_weight : problem.loss_weights) loss_weights += loss_weight;
    const auto values = this->values();
    const Wide rounding = kIsFloat<Real> ? 1e-4L : 1e-10L;
    CHECK_AT_MOST(values.violation, goal + rounding);
    CHECK_AT_MOST(values.dual, values.primal + rounding * values.primal);
    CHECK_AT_MOST(values.primal - values.dual,
                  goal * problem.classes * loss_weights + rounding * values.primal);
    const Certificate certificate = state->certify();
    CHECK_NEAR(certificate.primal, values.primal, rounding * values.primal);
    CHECK_NEAR(certificate.dual, values.dual, rounding * values.primal);
    CHECK_NEAR(certificate.violation, values.violation, rounding);
  }

  std::vector<Real> duals() const {
    return {state->dual(0), state->dual(0) + problem.size * state->layout().stride};
  }

  WorkingSets<Real> solver;
  int rounds = 0;
  Wide last_dual = 0;
};

}  // namespace polymargin::test
