#include <vector>

#include "kernel_problems.hpp"
#include "polymargin/driver/kernel/separate_problems.hpp"

namespace polymargin::test::test_separate_problems {

// The kernel of a problem whose examples come class after class, as the core reads it, and C_i. The
// last example of a class has no features, and the first of some has no weight.
template <class Real>
struct Sorted {
  Sorted(unsigned seed, int size, int classes, double loss_weight) {
    const KernelProblem<Real> problem(seed, size, classes, 0.7, loss_weight);
    std::vector<std::int32_t> order;
    starts.push_back(0);
    for (int label = 0; label < classes; ++label) {
      for (int i = 0; i < size; ++i)
        if (problem.labels[i] == label) order.push_back(i);
      starts.push_back(std::int32_t(order.size()));
    }
    stride = GramRows<Real>::padded(size);
    // In whole packs, and no number more: who reads on is seen by sanitizers.
    values.assign(std::size_t(size) * stride, Real(0));
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        values[i * stride + j] = problem.kernel[order[i] * size + order[j]];
    for (int i = 0; i < size; ++i) loss_weights.push_back(problem.loss_weights[order[i]]);
    for (int label = 0; label < classes; ++label) {
      const int last = starts[label + 1] - 1;
      for (int i = 0; i < size; ++i) values[i * stride + last] = values[last * stride + i] = 0;
      if (label % 2 == 0) loss_weights[starts[label]] = 0;
    }
  }

  GramMatrix<Real> gram() const {
    return {values.data(), std::int64_t(loss_weights.size()), stride};
  }
  BinaryProblem pair(int a, int b) const {
    return {{{starts[a], starts[a + 1], false}, {starts[b], starts[b + 1], true}}};
  }

  std::vector<std::int32_t> starts;
  std::vector<double> loss_weights;
  std::vector<Real> values;
  std::int64_t stride;
};

struct Values {
  Wide primal = 0, dual = 0;
};

// By the definition, with the kernel of whichever examples.
template <class Real>
Values values_of(const BinaryProblem& problem, const Sorted<Real>& data, bool squared) {
  struct Variable {
    std::int32_t example;
    Wide sign, u;
  };
  std::vector<Variable> all;
  problem.for_each([&](std::int32_t p, std::int32_t i, bool positive) {
    all.push_back({i, positive ? Wide(1) : Wide(-1),
                   problem.duals.empty() ? Wide(0) : Wide(problem.duals[p])});
  });
  Values found;
  for (const Variable& each : all) {
    Wide score = 0;
    for (const Variable& other : all)
      score += other.sign * other.u * data.gram().row(other.example)[each.example];
    const Wide c = data.loss_weights[each.example];
    const Wide loss = std::max(Wide(0), 1 - each.sign * score), norm = each.sign * each.u * score;
    found.primal += norm / 2 + c * (squared ? loss * loss : loss);
    found.dual += each.u - norm / 2;
    // What has no variable in the core: its loss is one, and it is in both objectives.
    if (data.gram().diagonal(each.example) == 0) {
      CHECK_EQUAL(each.u, 0);
      found.dual += c;
    } else if (c == 0) {
      CHECK_EQUAL(each.u, 0);
    } else {
      CHECK(each.u >= 0 && (squared || each.u <= Wide(Real(c))));
      if (squared) found.dual -= each.u * each.u / (4 * c);
    }
  }
  return found;
}

template <class Real>
void check_certificate(const BinaryProblem& problem, const Sorted<Real>& data, bool squared) {
  const Values known = values_of(problem, data, squared);
  const Wide rounding = (sizeof(Real) == 4 ? 1e-5L : 1e-12L) * (1 + known.primal);
  CHECK_NEAR(problem.certificate.primal, known.primal, rounding);
  CHECK_NEAR(problem.certificate.dual, known.dual, rounding);
}

// Pairs of any size, down to one example of each class, end within the tolerance, whatever is left
// out meanwhile, in however little room, and by steps of one variable or of two. The latter, which
// choose their first variable alike, need fewer steps, taken together.
template <class Real>
void check_optimum() {
  std::int64_t steps[2] = {0, 0};
  for (const int size : {4, 9, 40, 130})
    for (const double c : {0.01, 1.0, 100.0})
      for (const bool squared : {false, true})
        for (const auto [shrinking, in_pairs] :
             {std::pair{false, true}, {true, true}, {true, false}}) {
          const Sorted<Real> data(unsigned(size), size, size < 9 ? 2 : 3, c);
          BinaryProblem problem = data.pair(0, 1);
          const double room = shrinking ? 0 : 1e9;
          BinarySolver<Real> solver(data.gram(), data.loss_weights, squared, shrinking, in_pairs,
                                    room);
          const Tolerance tolerance{sizeof(Real) == 4 ? 1e-3 : 1e-6, false};
          for (int round = 0; round < 1000 && !problem.finished; ++round) {
            const EpochReport report = solver.solve(problem, tolerance, never);
            if (shrinking) steps[in_pairs] += report.visits;
          }
          CHECK(problem.finished);
          CHECK_AT_MOST(problem.certificate.primal - problem.certificate.dual,
                        tolerance.value * problem.certificate.primal);
          check_certificate(problem, data, squared);
        }
  CHECK(steps[true] > 0 && steps[true] < steps[false]);
}

// A search that is cut short has the certificate of what it has reached, and goes on from there.
template <class Real>
void check_stop() {
  const Sorted<Real> data(3, 300, 2, 10.0);
  for (const bool squared : {false, true}) {
    BinarySolver<Real> solver(data.gram(), data.loss_weights, squared, true, true, 1e9);
    const Tolerance tolerance{1e-3, false};
    BinaryProblem problem = data.pair(0, 1);
    int asked = 0;
    const EpochReport none = solver.solve(problem, tolerance, [&] { return ++asked > 0; });
    CHECK(none.stopped && !problem.finished);
    CHECK_EQUAL(asked, 1);
    CHECK_EQUAL(none.visits, 32);
    check_certificate(problem, data, squared);
    double dual = problem.certificate.dual;
    CHECK(dual > 0);
    int rounds = 0;
    while (!problem.finished && ++rounds < 10000) {
      asked = 0;
      const EpochReport report = solver.solve(problem, tolerance, [&] { return ++asked > 1; });
      CHECK(report.stopped || problem.finished);
      CHECK(problem.certificate.dual >= dual * (1 - 1e-5));
      dual = problem.certificate.dual;
    }
    CHECK(problem.finished && rounds > 1);
    check_certificate(problem, data, squared);
  }
}

// What nothing bounds ends where the number format does: a kernel that is not definite.
template <class Real>
void check_unbounded() {
  const std::int64_t size = 2, stride = GramRows<Real>::padded(size);
  std::vector<Real> values(size * stride, Real(0));
  values[0] = values[stride + 1] = Real(1);
  values[1] = values[stride] = Real(4);  // opposite signs: the more of both, the better
  const std::vector<double> loss_weights(2, 1e6);
  BinarySolver<Real> solver({values.data(), size, stride}, loss_weights, true, false, true, 1e9);
  BinaryProblem problem{{{0, 1, false}, {1, 2, true}}};
  for (int round = 0; round < 50; ++round) solver.solve(problem, {1e-3, false}, never);
  for (const double u : problem.duals) CHECK(std::isfinite(u) && u >= 0);
}

// The same variables on any number of threads, and one problem after the other with a matrix each.
template <class Real>
void check_together() {
  const int classes = 5;
  const Sorted<Real> data(5, 120, classes, 3.0);
  const auto trained = [&](int threads, bool apart) {
    SeparateProblems<Real> all(data.loss_weights, {{1e-4, false}, false, true, true, 1e9, threads});
    for (int a = 0; a < classes; ++a)
      for (int b = a + 1; b < classes; ++b) all.add(data.pair(a, b).ranges);
    for (int epoch = 0; epoch < 50; ++epoch) {
      if (!apart) {
        CHECK(!all.epoch(data.gram(), never).stopped);
        continue;
      }
      for (std::size_t p = 0; p < all.problems().size(); ++p) {
        std::vector<std::int32_t> rows;
        all.problems()[p].for_each([&](std::int32_t, std::int32_t i, bool) { rows.push_back(i); });
        const auto size = std::int64_t(rows.size()), stride = GramRows<Real>::padded(size);
        std::vector<Real> own(size * stride, Real(0));
        for (std::int64_t i = 0; i < size; ++i)
          for (std::int64_t j = 0; j < size; ++j)
            own[i * stride + j] = data.gram().row(rows[i])[rows[j]];
        if (!all.problems()[p].finished)
          all.epoch_of(std::int64_t(p), {own.data(), size, stride}, never);
      }
    }
    for (const BinaryProblem& problem : all.problems()) {
      CHECK(problem.finished);
      check_certificate(problem, data, false);
    }
    return all;
  };
  const auto one = trained(1, false), three = trained(3, false), apart = trained(1, true);
  auto same = [](auto left, auto right) {
    for (std::size_t p = 0; p < left.problems().size(); ++p)
      CHECK(left.problems()[p].duals == right.problems()[p].duals);
  };
  same(one, three);
  same(one, apart);
}

void run_tests() {
  check_optimum<float>();
  check_optimum<double>();
  check_stop<float>();
  check_stop<double>();
  check_unbounded<float>();
  check_unbounded<double>();
  check_together<float>();
  check_together<double>();
}

}  // namespace polymargin::test::test_separate_problems
