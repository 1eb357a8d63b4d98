// Random restricted problems and their solutions in long double, by methods that share nothing with
// the solvers under test.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "polymargin/base/aligned.hpp"
#include "polymargin/restricted/box_problem.hpp"
#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin::test {

using Wide = long double;

template <class Real>
inline constexpr Wide kRounding = std::numeric_limits<Real>::epsilon();
template <class Real>
inline constexpr bool kIsFloat = sizeof(Real) == 4;

// What an exact solver must reach, relative to the natural scale of a block.
template <class Real>
inline constexpr Wide kExact = kIsFloat<Real> ? 2e-5L : 1e-10L;

class Source {
 public:
  explicit Source(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * double(engine_() >> 11) * 0x1p-53;
  }
  int integer(int low, int high) { return low + int(engine_() % unsigned(high - low + 1)); }
  bool chance(double share) { return uniform(0, 1) < share; }
  double power_of_ten(double low, double high) { return std::pow(10.0, uniform(low, high)); }
  double bell() { return uniform(-1, 1) + uniform(-1, 1) + uniform(-1, 1); }

  // Half of the blocks are small enough for brute force.
  int block_size() {
    return chance(0.5) ? integer(2, 10) : int(std::lround(std::pow(2.0, uniform(1, 8.229))));
  }

 private:
  std::mt19937_64 engine_;
};

// The arrays a machine works on, aligned and padded.
template <class Real>
struct BlockArrays {
  explicit BlockArrays(int classes)
      : layout(ClassLayout::of<Real>(classes)),
        score(layout.stride),
        dual(layout.stride),
        change(layout.stride),
        workspace(std::size_t(layout.stride) * kWorkspaceArrays) {}

  Block<Real> block(int label, Real curvature, Real loss_weight) {
    return {layout,       label,       curvature,     loss_weight,
            score.data(), dual.data(), change.data(), workspace.data()};
  }

  ClassLayout layout;
  AlignedArray<Real> score, dual, change, workspace;
};

// Gradients: all different, tied, all equal, mostly zero, or one far above the others.
template <class Real>
std::vector<Real> random_gradient(Source& source, int size, double magnitude) {
  std::vector<Real> gradient(size);
  const int pattern = source.integer(0, 4);
  for (Real& g : gradient) {
    if (pattern == 0) g = Real(magnitude * source.bell());
    if (pattern == 1) g = Real(magnitude * source.integer(-1, 1));
    if (pattern == 2) g = Real(magnitude);
    if (pattern == 3) g = source.chance(0.7) ? Real(0) : Real(magnitude * source.bell());
    if (pattern == 4) g = Real(1e-3 * magnitude * source.bell());
  }
  if (pattern == 4) gradient[source.integer(0, size - 1)] = Real(magnitude);
  return gradient;
}

// min 1/2 A |b - start|^2 - gradient.(b - start),   b >= 0,   sum b = total
template <class Real>
struct SimplexBlock {
  Real curvature, total;
  std::vector<Real> gradient, start;
  int size() const { return int(gradient.size()); }
};

// Starts: a vertex, the centre, inside, or a face of few variables.
template <class Real>
std::vector<Real> random_simplex_point(Source& source, int size, Real total) {
  std::vector<double> share(size);
  const int pattern = source.integer(0, 3);
  if (pattern == 0) share[source.integer(0, size - 1)] = 1;
  if (pattern == 1) std::fill(share.begin(), share.end(), 1.0);
  if (pattern == 2)
    for (double& s : share) s = source.uniform(0, 1);
  if (pattern == 3)
    for (int c = 0; c < 4; ++c) share[source.integer(0, size - 1)] = source.uniform(0.1, 1);
  double sum = 0;
  for (double s : share) sum += s;
  std::vector<Real> point(size);
  for (int m = 0; m < size; ++m) point[m] = Real(double(total) * (share[m] / sum));
  return point;
}

template <class Real>
SimplexBlock<Real> random_simplex_block(Source& source) {
  const int size = source.block_size();
  const double range = kIsFloat<Real> ? 4 : 12;
  SimplexBlock<Real> p;
  p.curvature = Real(source.power_of_ten(-range, range));
  p.total = Real(source.power_of_ten(-range, range));
  // Around A C the solution has some variables at zero and some above.
  const double natural = double(p.curvature) * double(p.total);
  const double magnitude = source.chance(0.8)   ? natural * source.power_of_ten(-2, 2)
                           : source.chance(0.5) ? natural * source.power_of_ten(-range, range)
                                                : 1;
  p.gradient = random_gradient<Real>(source, size, magnitude);
  p.start = random_simplex_point(source, size, p.total);
  return p;
}

template <class Real>
Wide highest_gradient(const SimplexBlock<Real>& p) {
  return *std::max_element(p.gradient.begin(), p.gradient.end());
}

// Changes sum to zero, so the gradients count up to a constant: without it, the rounding of the sum
// of a start would weigh as much as the largest gradient.
template <class Real>
Wide objective(const SimplexBlock<Real>& p, const std::vector<Wide>& b) {
  const Wide highest = highest_gradient(p);
  Wide value = 0;
  for (int m = 0; m < p.size(); ++m) {
    const Wide d = b[m] - p.start[m];
    value += d * (Wide(p.curvature) / 2 * d - (p.gradient[m] - highest));
  }
  return value;
}

// What an objective may be wrong by if every variable is rounded to Real.
template <class Real>
Wide objective_rounding(const SimplexBlock<Real>& p, const std::vector<Wide>& b) {
  const Wide highest = highest_gradient(p);
  Wide size = 0;
  for (int m = 0; m < p.size(); ++m) {
    const Wide d = std::fabs(b[m] - p.start[m]), both = b[m] + p.start[m];
    size += both * (p.curvature * (d + p.total * kRounding<Real>)+(highest - p.gradient[m]));
  }
  return 16 * kRounding<Real> * size;
}

template <class Real>
std::vector<Wide> wide_target(const SimplexBlock<Real>& p) {
  const Wide highest = highest_gradient(p);
  std::vector<Wide> target(p.size());
  for (int m = 0; m < p.size(); ++m)
    target[m] = p.start[m] + (p.gradient[m] - highest) / Wide(p.curvature);
  return target;
}

// Tries every number of kept variables and takes the one whose conditions fail least.
template <class Real>
Wide simplex_theta(const SimplexBlock<Real>& p) {
  std::vector<Wide> q = wide_target(p);
  std::sort(q.begin(), q.end());
  std::reverse(q.begin(), q.end());
  Wide best = 0, least = std::numeric_limits<Wide>::infinity(), sum = 0;
  for (int kept = 1; kept <= p.size(); ++kept) {
    sum += q[kept - 1];
    const Wide theta = (sum - p.total) / kept;
    const Wide next = kept < p.size() ? q[kept] - theta : -1;
    const Wide failure = std::max({theta - q[kept - 1], next, Wide(0)});
    if (failure < least) {
      least = failure;
      best = theta;
    }
  }
  return best;
}

// The same over every subset of kept variables, sorted or not.
template <class Real>
Wide simplex_theta_by_force(const SimplexBlock<Real>& p) {
  const std::vector<Wide> q = wide_target(p);
  Wide best = 0, least = std::numeric_limits<Wide>::infinity();
  for (unsigned subset = 1; subset < (1u << p.size()); ++subset) {
    Wide sum = 0, failure = 0;
    int kept = 0;
    for (int m = 0; m < p.size(); ++m)
      if (subset >> m & 1) {
        sum += q[m];
        ++kept;
      }
    const Wide theta = (sum - p.total) / kept;
    for (int m = 0; m < p.size(); ++m)
      failure = std::max(failure, subset >> m & 1 ? theta - q[m] : q[m] - theta);
    if (failure < least) {
      least = failure;
      best = theta;
    }
  }
  return best;
}

template <class Real>
std::vector<Wide> simplex_optimum(const SimplexBlock<Real>& p) {
  const Wide theta = simplex_theta(p);
  if (p.size() <= 10) CHECK_NEAR(theta, simplex_theta_by_force(p), 1e-15L * p.total);
  std::vector<Wide> solution = wide_target(p);
  for (Wide& b : solution) b = std::max(b - theta, Wide(0));
  return solution;
}

template <class Real>
std::vector<Wide> widened(const std::vector<Real>& values) {
  return std::vector<Wide>(values.begin(), values.end());
}

}  // namespace polymargin::test
