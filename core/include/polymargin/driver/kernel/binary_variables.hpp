// The variables of a binary problem that are moved for a while, and the choice of the next two by
// second-order gain (004, section 4.3). With signs Y, Q_ij = Y_i Y_j k(x_i, x_j), plus the penalty
// of a squared hinge on the diagonal; h = 1 - Y s are the violations of the margin, and the
// gradient of the dual is g = h - penalty u.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

template <class Real>
struct BinaryVariables {
  using V = Pack<Real, kNativeBytes>;
  using I = PackInt<Real, kNativeBytes>;
  static constexpr std::int64_t kLanes = kNativeBytes / std::int64_t(sizeof(Real));

  // Arrays in whole packs. What pads them has sign and bound zero, and so never moves.
  AlignedArray<Real> dual, gradient, sign, upper, penalty, diagonal;
  AlignedArray<Real> weight;  // of a gradient, where the first is chosen: one over the root of Q_ii
  std::int64_t size = 0, padded = 0;

  void resize(std::int64_t count) {
    size = count;
    padded = (count + kLanes - 1) / kLanes * kLanes;
    for (AlignedArray<Real>* array :
         {&dual, &gradient, &sign, &upper, &penalty, &diagonal, &weight})
      if (std::int64_t(array->size()) < padded) array->resize(padded);
    for (std::int64_t j = size; j < padded; ++j) {
      dual[j] = gradient[j] = sign[j] = upper[j] = penalty[j] = weight[j] = 0;
      diagonal[j] = 1;
    }
  }

  // Takes over variable `from` of others as variable `to`, which must not come after it if the
  // others are these.
  void take(std::int64_t to, const BinaryVariables& others, std::int64_t from) {
    dual[to] = others.dual[from];
    gradient[to] = others.gradient[from];
    sign[to] = others.sign[from];
    upper[to] = others.upper[from];
    penalty[to] = others.penalty[from];
    diagonal[to] = others.diagonal[from];
    weight[to] = others.weight[from];
  }

  struct First {
    std::int32_t at = -1;  // -1 if no variable can move
    Real violation = 0;    // of the optimality conditions, the largest
  };

  // Two kernel rows and what their examples' coefficients have changed by.
  struct Change {
    const Real* rows[2];
    Real coefficients[2];
  };

  // The variable that gains most by itself, after a change is carried to the gradients.
  First first(const Change& change) { return scan_first<true>(&change); }
  First first() { return scan_first<false>(nullptr); }

  // The one that gains most together with variable `a`, whose kernel row is given; -1 if there is
  // none. Of both, the gain is that of a alone plus r^2 / 2S (TwoVariables); ratios are compared by
  // their products. If S is rounding, larger r come first.
  std::int32_t second(std::int32_t a, const Real* row) const {
    constexpr Real kFloor = 8 * std::numeric_limits<Real>::epsilon();
    const Real inverse = 1 / diagonal[a], step = gradient[a] * inverse, sign_a = sign[a];
    V best{}, best_rest = V{} + 1;
    I best_at = I{} - 1, at = lane_numbers<Real, kNativeBytes>();
    for (std::int64_t j = 0; j < padded; j += kLanes, at += int(kLanes)) {
      const V u = load<V>(dual.data() + j);
      const V coupling = sign_a * load<V>(sign.data() + j) * load_anywhere<V>(row + j);  // Q_ab
      const V r = load<V>(gradient.data() + j) - coupling * step;
      const V own = load<V>(diagonal.data() + j);
      const V rest = max_of(own - coupling * coupling * inverse, kFloor * own);
      const V value = r * r;
      const I able = (r > V{} ? u < load<V>(upper.data() + j) : u > V{}) & (at != I{} + a);
      const I better = able & (value * best_rest > best * rest);
      best = better ? value : best;
      best_rest = better ? rest : best_rest;
      best_at = better ? at : best_at;
    }
    return best_lane(best / best_rest, best_at);
  }

  struct Sums {
    double losses = 0;  // sum of C_i loss_i
    double linear = 0;  // the dual objective but for |w|^2 / 2
    std::int64_t settled = 0;
  };

  // Sums over these variables; settled are those at a bound, with a gradient that would have to
  // change by more than `violation` to bring them back.
  Sums sums(Real violation) const {
    Sums found;
    V losses{}, linear{};
    for (std::int64_t j = 0; j < padded; j += kLanes) {
      const V u = load<V>(dual.data() + j), g = load<V>(gradient.data() + j);
      const V c = load<V>(upper.data() + j), p = load<V>(penalty.data() + j);
      const V h = max_of(g + p * u, V{});
      losses += p > V{} ? h * h / (2 * p) : h * c;  // C = 1 / 2 penalty
      linear += u - p * u * u / 2;
      found.settled += count_lanes<Real, kNativeBytes>(((u <= V{}) & (g < V{} - violation)) |
                                                       ((u >= c) & (g > V{} + violation)));
    }
    found.losses = double(sum_lanes<Real, kNativeBytes>(losses));
    found.linear = double(sum_lanes<Real, kNativeBytes>(linear));
    return found;
  }

  bool settled(std::int64_t j, Real violation) const {
    return (dual[j] <= 0 && gradient[j] < -violation) ||
           (dual[j] >= upper[j] && gradient[j] > violation);
  }

 private:
  template <bool Updating>
  First scan_first(const Change* change) {
    V worst{}, best{};
    I best_at = I{} - 1, at = lane_numbers<Real, kNativeBytes>();
    for (std::int64_t j = 0; j < padded; j += kLanes, at += int(kLanes)) {
      V g = load<V>(gradient.data() + j);
      if constexpr (Updating) {
        g -= load<V>(sign.data() + j) *
             (change->coefficients[0] * load_anywhere<V>(change->rows[0] + j) +
              change->coefficients[1] * load_anywhere<V>(change->rows[1] + j));
        store(gradient.data() + j, g);
      }
      const V u = load<V>(dual.data() + j);
      // The part of the gradient that leads into the box.
      V inward = u > V{} ? g : max_of(g, V{});
      inward = u < load<V>(upper.data() + j) ? inward : min_of(inward, V{});
      inward = max_of(inward, -inward);
      const V value = inward * load<V>(weight.data() + j);
      worst = max_of(inward, worst);
      best_at = value > best ? at : best_at;
      best = max_of(best, value);
    }
    return {best_lane(best, best_at), max_lanes<Real, kNativeBytes>(worst)};
  }

  // The number in the lane with the largest value, of equal ones the smallest; -1 if there is none.
  static std::int32_t best_lane(V value, I at) {
    const Real largest = max_lanes<Real, kNativeBytes>(value);
    std::int64_t best = -1;
    for (unsigned lanes = lane_bits<Real, kNativeBytes>((value == V{} + largest) & (at >= I{}));
         lanes != 0; lanes &= lanes - 1) {
      const std::int64_t found = at[std::countr_zero(lanes)];
      if (best < 0 || found < best) best = found;
    }
    return std::int32_t(best);
  }
};

}  // namespace polymargin
