// Coordinate descent on quadratic models: what is minimised is computed from its definition, and
// no other weights nearby are better.
#include <limits>
#include <random>

#include "check.hpp"
#include "polymargin/driver/linear/coordinate_descent.hpp"

namespace polymargin::test::test_coordinate_descent {

constexpr int kRows = 30, kFeatures = 7;
constexpr double kNone = std::numeric_limits<double>::infinity();
using Vector = std::vector<double>;

struct Problem {
  int k;
  bool joint;  // whether second derivatives are diag(p) - p p^T
  Vector x, slopes, bends, shares, damping, lambda, low, high, begin;

  Problem(int classes, bool softmax, PenaltyKind kind, unsigned seed) : k(classes), joint(softmax) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.1, 1);
    for (int e = 0; e < kRows * kFeatures; ++e) x.push_back(e % 3 == 0 ? 0 : normal(random));
    for (int i = 0; i < kRows; ++i) {
      double sum = 0;
      for (int m = 0; m < k; ++m) {
        slopes.push_back(normal(random));
        bends.push_back(uniform(random));
        sum += bends.back();
      }
      for (int m = 0; m < k && joint; ++m) bends[i * k + m] /= sum;
      shares.push_back(uniform(random));
    }
    for (int f = 0; f < kFeatures; ++f) {
      damping.push_back(0.1 * uniform(random));
      lambda.push_back(f == 0 ? 0 : 15 * uniform(random));  // the first has no penalty
      const bool bounded = kind != PenaltyKind::kLength && f > 3;
      low.push_back(bounded ? -0.1 : -kNone);
      high.push_back(bounded ? 0.05 * (f - 4) : kNone);
    }
    for (int e = 0; e < kFeatures * k; ++e) begin.push_back(0);
  }

  double value(PenaltyKind kind, const Vector& w) const {
    double total = 0;
    for (int f = 0; f < kFeatures; ++f) {
      double absolute = 0, square = 0;
      for (int m = 0; m < k; ++m) {
        absolute += std::abs(w[f * k + m]);
        square += w[f * k + m] * w[f * k + m];
      }
      total += damping[f] * square / 2;
      total += lambda[f] * (kind == PenaltyKind::kAbsolute ? absolute
                            : kind == PenaltyKind::kLength ? std::sqrt(square)
                                                           : square / 2);
    }
    for (int i = 0; i < kRows; ++i) {
      double mean = 0, square = 0;
      for (int m = 0; m < k; ++m) {
        double s = 0;
        for (int f = 0; f < kFeatures; ++f) s += x[f * kRows + i] * w[f * k + m];
        total += slopes[i * k + m] * s;
        mean += bends[i * k + m] * s;
        square += bends[i * k + m] * s * s;
      }
      total += joint ? shares[i] * (square - mean * mean) / 2 : square / 2;
    }
    return total;
  }

  Vector by_columns(const Penalty& penalty, bool sparse) const {
    Vector w = begin, changed = slopes, moved(w.size()), values;
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> rows;
    for (int f = 0; f < kFeatures; ++f) {
      for (int i = 0; i < kRows; ++i) {
        if (x[f * kRows + i] == 0) continue;
        values.push_back(x[f * kRows + i]);
        rows.push_back(i);
      }
      starts.push_back(std::int64_t(rows.size()));
    }
    ColumnModel model{kRows,
                      k,
                      sparse ? values.data() : x.data(),
                      sparse ? starts.data() : nullptr,
                      sparse ? rows.data() : nullptr,
                      changed.data(),
                      bends.data(),
                      joint ? shares.data() : nullptr,
                      damping.data(),
                      moved.data()};
    const double gained = CoordinateDescent<ColumnModel>(model, penalty, w).run(20000, 1e-15);
    // With p p^T the curvature of a step is a bound, and so is what it gains.
    const double fall = value(penalty.kind, begin) - value(penalty.kind, w);
    if (!joint) CHECK_NEAR(gained, fall, 1e-9);
    CHECK_AT_MOST(gained, fall + 1e-9);
    return w;
  }

  Vector by_matrix(const Penalty& penalty) const {
    Vector w = begin, gradients(w.size()), gram(k * kFeatures * kFeatures);
    for (int m = 0; m < k; ++m)
      for (int f = 0; f < kFeatures; ++f) {
        for (int i = 0; i < kRows; ++i)
          gradients[m * kFeatures + f] += x[f * kRows + i] * slopes[i * k + m];
        for (int j = 0; j < kFeatures; ++j) {
          double& entry = gram[(m * kFeatures + f) * kFeatures + j];
          for (int i = 0; i < kRows; ++i)
            entry += x[f * kRows + i] * x[j * kRows + i] * bends[i * k + m];
          if (f == j) entry += damping[f];
        }
      }
    GramModel model{kFeatures, k, gram.data(), gradients.data()};
    CoordinateDescent<GramModel>(model, penalty, w).run(20000, 1e-15);
    return w;
  }
};

void check_problem(int classes, bool joint, PenaltyKind kind, unsigned seed) {
  const Problem problem(classes, joint, kind, seed);
  const Penalty penalty{kind, problem.lambda, problem.low, problem.high};
  const Vector w = problem.by_columns(penalty, false), other = problem.by_columns(penalty, true);
  const double best = problem.value(kind, w);
  for (std::size_t e = 0; e < w.size(); ++e) CHECK_NEAR(other[e], w[e], 1e-6);
  if (!joint) {
    const Vector third = problem.by_matrix(penalty);
    for (std::size_t e = 0; e < w.size(); ++e) CHECK_NEAR(third[e], w[e], 1e-6);
  }
  int zeros = 0;
  for (int e = 0; e < int(w.size()); ++e) {
    zeros += w[e] == 0;
    CHECK(problem.low[e / classes] <= w[e] && w[e] <= problem.high[e / classes]);
  }
  CHECK(kind == PenaltyKind::kSquare || zeros > 0);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 500; ++trial) {
    Vector near = w;
    const double scale = std::pow(10.0, -(trial % 5));
    for (int e = 0; e < int(w.size()); ++e)
      if (trial % 2 == 0 || e == trial % int(w.size()))
        near[e] = std::clamp(w[e] + scale * normal(random), problem.low[e / classes],
                             problem.high[e / classes]);
    CHECK_AT_MOST(best, problem.value(kind, near) + 1e-10);
  }
}

void run_tests() {
  for (const PenaltyKind kind :
       {PenaltyKind::kAbsolute, PenaltyKind::kLength, PenaltyKind::kSquare})
    for (unsigned seed = 0; seed < 5; ++seed) {
      check_problem(1, false, kind, seed);
      check_problem(3, false, kind, seed);
      check_problem(4, true, kind, seed);
    }
}

}  // namespace polymargin::test::test_coordinate_descent
