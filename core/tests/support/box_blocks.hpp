// The same as blocks.hpp for the box with a rank-one coupling:
//     min 1/2 Q |u - start|^2 + 1/2 R (1.(u - start))^2 - gradient.(u - start),   0 <= u <= upper.
#pragma once

#include "blocks.hpp"

namespace polymargin::test {

template <class Real>
struct BoxBlock {
  BoxProblem<Real> shape;
  std::vector<Real> gradient, start;
  int size() const { return int(gradient.size()); }
  bool bounded() const { return shape.upper < -kNowhere<Real>; }
};

// Starts: zero, at the upper bound, inside, or a mixture of all three.
template <class Real>
std::vector<Real> random_box_point(Source& source, int size, Real largest) {
  const int pattern = source.integer(0, 3);
  std::vector<Real> point(size);
  for (Real& u : point) {
    const int where = pattern < 3 ? pattern : source.integer(0, 2);
    if (where == 1) u = largest;
    if (where == 2) u = std::min(Real(largest * source.uniform(0, 1)), largest);
  }
  return point;
}

// Couplings of ww (R = Q), of the squared machines (R < Q and R > Q), of ovr (0) and llw (-Q/k).
template <class Real>
BoxBlock<Real> random_box_block(Source& source) {
  const int size = source.block_size();
  const double range = kIsFloat<Real> ? 4 : 12;
  BoxBlock<Real> p;
  const double q = source.power_of_ten(-range, range);
  const double ratios[] = {1, source.uniform(0, 1), source.power_of_ten(0, range / 2), 0,
                           -1.0 / (size + 1)};
  const bool bounded = source.chance(0.6);
  const double loss_weight = source.power_of_ten(-range, range);
  p.shape.diagonal = Real(q);
  p.shape.coupling = Real(q * ratios[source.integer(0, 4)]);
  p.shape.upper = bounded ? Real(loss_weight) : -kNowhere<Real>;
  const double wide = source.chance(0.8) ? 2 : range;
  p.gradient =
      random_gradient<Real>(source, size, q * loss_weight * source.power_of_ten(-wide, wide));
  p.start = random_box_point(source, size, Real(loss_weight));
  if (source.chance(0.5)) {  // the label's own variable
    const int label = source.integer(0, size - 1);
    p.gradient[label] = kNowhere<Real>;
    p.start[label] = 0;
  }
  return p;
}

struct BoxOptimum {
  std::vector<Wide> solution;
  Wide scale = 0;  // upper, or the largest of solution and start where there is none
  // The largest |q_m| and |r t| whose difference is a variable inside its bounds, times what a
  // coupling below zero (llw) makes of an error in t.
  Wide free_terms = 0;
  Wide sum_terms = 0;  // r sum start, a part of r t
};

// phi(t) = sum_m clip(q_m - r t, 0, upper) - sum start - t, with q = start + gradient / Q.
template <class Real>
class BoxOracle {
 public:
  explicit BoxOracle(const BoxBlock<Real>& p)
      : p_(p),
        upper_(p.bounded() ? Wide(p.shape.upper) : std::numeric_limits<Wide>::infinity()),
        ratio_(Wide(p.shape.coupling) / p.shape.diagonal) {
    for (int m = 0; m < p.size(); ++m) {
      if (is_label(m)) continue;
      q_.push_back(p.start[m] + Wide(p.gradient[m]) / p.shape.diagonal);
      start_sum_ += p.start[m];
    }
  }

  BoxOptimum optimum() const {
    const Wide t = root();
    if (p_.size() <= 7) CHECK_NEAR(t, root_by_force(), 1e-12L * size_of(t));
    BoxOptimum result;
    result.sum_terms = std::fabs(ratio_) * start_sum_;
    result.scale = p_.bounded() ? upper_ : 0;
    int free = 0;
    for (int m = 0, position = 0; m < p_.size(); ++m) {
      result.solution.push_back(0);
      if (is_label(m)) continue;
      const Wide q = q_[position++];
      const Wide u = result.solution.back() = clip(q - ratio_ * t);
      if (!p_.bounded()) result.scale = std::max({result.scale, u, Wide(p_.start[m])});
      if (!(u > 0 && u < upper_)) continue;
      result.free_terms = std::max({result.free_terms, std::fabs(q), std::fabs(ratio_ * t)});
      ++free;
    }
    result.free_terms /= std::min(1 + ratio_ * free, Wide(1));
    return result;
  }

 private:
  bool is_label(int m) const { return p_.gradient[m] == kNowhere<Real>; }
  Wide clip(Wide u) const { return std::clamp(u, Wide(0), upper_); }
  Wide phi(Wide t) const {
    Wide sum = -start_sum_ - t;
    for (Wide q : q_) sum += clip(q - ratio_ * t);
    return sum;
  }
  // The terms of phi around its root.
  Wide size_of(Wide t) const {
    Wide size = start_sum_ + std::fabs(t);
    for (Wide q : q_)
      if (q - ratio_ * t > 0) size += std::min(std::fabs(q), upper_) + std::fabs(ratio_ * t);
    return size;
  }
  Wide solve_piece(Wide free_sum, int free, int at_upper) const {
    const Wide fixed = at_upper > 0 ? at_upper * upper_ : Wide(0);
    return (free_sum + fixed - start_sum_) / (1 + ratio_ * free);
  }

  // Sorts all breakpoints, finds the two around the root and solves the piece between them.
  Wide root() const {
    std::vector<Wide> points;
    for (Wide q : q_) {
      if (ratio_ != 0) points.push_back(q / ratio_);
      if (ratio_ != 0 && p_.bounded()) points.push_back((q - upper_) / ratio_);
    }
    std::sort(points.begin(), points.end());
    const auto right =
        std::partition_point(points.begin(), points.end(), [&](Wide t) { return phi(t) > 0; });
    Wide inside = 0;
    if (right == points.end())
      inside = points.empty() ? 0 : points.back() + std::fabs(points.back()) + 1;
    else if (right == points.begin())
      inside = points.front() - std::fabs(points.front()) - 1;
    else
      inside = right[-1] + (right[0] - right[-1]) / 2;
    Wide free_sum = 0;
    int free = 0, at_upper = 0;
    for (Wide q : q_) {
      const Wide u = q - ratio_ * inside;
      if (u > 0 && u < upper_) {
        free_sum += q;
        ++free;
      }
      at_upper += u >= upper_;
    }
    return solve_piece(free_sum, free, at_upper);
  }

  // Every variable at zero, free or at its upper bound: takes the pattern that fails least.
  Wide root_by_force() const {
    const int states = p_.bounded() ? 3 : 2;
    int patterns = 1;
    for (std::size_t m = 0; m < q_.size(); ++m) patterns *= states;
    Wide best = 0, least = std::numeric_limits<Wide>::infinity();
    for (int pattern = 0; pattern < patterns; ++pattern) {
      Wide free_sum = 0, failure = 0;
      int count[3] = {};
      for (std::size_t m = 0, rest = pattern; m < q_.size(); ++m, rest /= states) {
        ++count[rest % states];
        if (rest % states == 1) free_sum += q_[m];
      }
      const Wide t = solve_piece(free_sum, count[1], count[2]);
      for (std::size_t m = 0, rest = pattern; m < q_.size(); ++m, rest /= states) {
        const Wide u = q_[m] - ratio_ * t;
        const int state = int(rest % states);
        failure = std::max(failure, state == 0   ? u
                                    : state == 1 ? std::max(-u, u - upper_)
                                                 : upper_ - u);
      }
      if (failure < least) {
        least = failure;
        best = t;
      }
    }
    return best;
  }

  const BoxBlock<Real>& p_;
  const Wide upper_, ratio_;
  std::vector<Wide> q_;
  Wide start_sum_ = 0;
};

template <class Real>
Wide objective(const BoxBlock<Real>& p, const std::vector<Wide>& u) {
  Wide value = 0, change = 0;
  for (int m = 0; m < p.size(); ++m) {
    const Wide d = u[m] - p.start[m];
    if (d != 0) value += d * (Wide(p.shape.diagonal) / 2 * d - p.gradient[m]);
    change += d;
  }
  return value + Wide(p.shape.coupling) / 2 * change * change;
}

}  // namespace polymargin::test
