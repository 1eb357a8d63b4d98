// How a margin is measured. In general (DESIGN, section 2) a block has variables u >= 0, targets t
// and a matrix E with
//     h = t - E s      by how much each margin is violated: the derivative of t.u - 1/2 |W|^2 by u,
//     b = E^T u        the coefficients of the block: w_m += b_m x.
// Here E has a row for a class: s_y - s_m where margins are relative and Y_m s_m where they are
// absolute (Y_m = 1 for the label and -1 otherwise), centred if weights sum to zero. Then
//     |b|^2 = delta |u|^2 + rho (sigma.u)^2,   sigma = 1, and -1 at the label if `kSigned`.
// A margin tells
//   - `shift`, the part of h that all classes share, and `violation`, h itself: kNowhere in lanes
//     without a variable. `uncentred_shift` is for scores that sum to zero but for rounding;
//   - `coefficient`, b_m from u_m and sigma.u, the latter summed up from `signed_value`;
//   - `product`, c.b of a unit of u_m, for coefficients c of another block.
// Lanes are those of one block or of many examples.
#pragma once

#include <span>

#include "polymargin/restricted/block_lanes.hpp"

namespace polymargin {

struct Targets {
  double label = 1, other = 1;         // t_m
  std::span<const double> pairs = {};  // by label and class, row after row; see pair_targets.hpp
};

// h_m = t - s_y + s_m for m != y (000, eq. (17), negated), b_m = -u_m, b_y = sum u. In DESIGN terms
// a_m = -u_m and a_y = sum u for cs, a_m = u_m for ww.
class RelativeMargin {
 public:
  static constexpr bool kSumsToZero = false;  // if so, b touches all classes
  static constexpr bool kLabelHasVariable = false, kOthersHaveVariables = true;
  static constexpr bool kRelative = true;
  static constexpr bool kSigned = false;
  static constexpr bool kPairTargets = false;

  explicit RelativeMargin(const Targets& targets = {}) : targets_(targets) {}

  const Targets& targets() const { return targets_; }
  static constexpr double delta(int) { return 1; }
  static constexpr double rho(int) { return 1; }

  template <class Lanes>
  auto shift(const Lanes& lanes) const {
    return typename Lanes::Number(targets_.other) - lanes.label_score();
  }
  template <class Lanes>
  auto uncentred_shift(const Lanes& lanes) const {
    return shift(lanes);
  }
  template <class Lanes, class Shift>
  static auto violation(const Lanes& lanes, int v, Shift shift) {
    const auto usable = lanes.is_class(v) & ~lanes.is_label(v);
    return usable ? lanes.score(v) + shift : typename Lanes::V{} + kNowhere<typename Lanes::Number>;
  }
  template <class Lanes, class V>
  static V signed_value(const Lanes&, int, V u) {
    return u;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real signed_sum) {
    return lanes.is_label(v) ? V{} + signed_sum : -u;
  }
  template <class Lanes, class V>
  static V product(const Lanes& lanes, int, V c, const typename Lanes::Number* all) {
    return all[lanes.block.label] - c;
  }

 private:
  Targets targets_;
};

enum class Variables { others, all, label };

// h_m = t_m - Y_m s_m and b_m = Y_m u_m, less the mean of that if weights sum to zero. Without it,
// classes do not meet: a binary problem has one class here, and examples of the other have a label
// outside of it. Otherwise the mean of the scores is zero but for rounding, which is taken out: W
// may leave the plane by a little.
template <Variables Which, bool SumsToZero>
class AbsoluteMargin {
 public:
  static constexpr bool kSumsToZero = SumsToZero;
  static constexpr bool kLabelHasVariable = Which != Variables::others;
  static constexpr bool kOthersHaveVariables = Which != Variables::label;
  static constexpr bool kRelative = false;
  // With u of the others alone, or of the label alone, signs cancel.
  static constexpr bool kSigned = SumsToZero && Which == Variables::all;
  static constexpr bool kPairTargets = false;

  explicit AbsoluteMargin(const Targets& targets = {}) : targets_(targets) {}

  const Targets& targets() const { return targets_; }
  // The label alone: |b|^2 = (1 - 1/k) u^2, and nothing to couple.
  static constexpr double delta(int classes) {
    return SumsToZero && Which == Variables::label ? 1 - 1.0 / classes : 1;
  }
  static constexpr double rho(int classes) {
    return SumsToZero && Which != Variables::label ? -1.0 / classes : 0;
  }

  template <class Shared>
  struct Shift {
    Shared other, label;
  };
  template <class Lanes>
  auto shift(const Lanes& lanes) const {
    if constexpr (SumsToZero) {
      using Real = typename Lanes::Number;
      typename Lanes::V total{};
      for (int v = 0; v < lanes.packs; ++v) total += lanes.score(v);
      const auto mean = Lanes::sum(total) / Real(lanes.classes());
      return Shift<std::decay_t<decltype(mean)>>{Real(targets_.other) - mean,
                                                 Real(targets_.label) + mean};
    } else {
      return uncentred_shift(lanes);
    }
  }
  template <class Lanes>
  auto uncentred_shift(const Lanes&) const {
    using Real = typename Lanes::Number;
    return Shift<Real>{Real(targets_.other), Real(targets_.label)};
  }
  template <class Lanes, class Shift>
  static auto violation(const Lanes& lanes, int v, const Shift& shift) {
    using V = typename Lanes::V;
    const V nowhere = V{} + kNowhere<typename Lanes::Number>;
    if constexpr (Which == Variables::others) {
      const auto usable = lanes.is_class(v) & ~lanes.is_label(v);
      return usable ? lanes.score(v) + shift.other : nowhere;
    } else if constexpr (Which == Variables::all) {
      const V h = lanes.is_label(v) ? shift.label - lanes.score(v) : shift.other + lanes.score(v);
      return lanes.is_class(v) ? h : nowhere;
    } else {
      return lanes.is_label(v) ? shift.label - lanes.score(v) : nowhere;
    }
  }
  template <class Lanes, class V>
  static V signed_value(const Lanes& lanes, int v, V u) {
    if constexpr (kSigned)
      return lanes.is_label(v) ? -u : u;
    else
      return u;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real signed_sum) {
    if constexpr (!SumsToZero) {
      return lanes.is_label(v) ? u : -u;
    } else {
      const Real mean = signed_sum / Real(lanes.classes());
      const V b = Which == Variables::label ? u - mean : mean - signed_value(lanes, v, u);
      return lanes.is_class(v) ? b : V{};
    }
  }
  template <class Lanes, class V>
  static V product(const Lanes& lanes, int v, V c, const typename Lanes::Number*) {
    if constexpr (kLabelHasVariable)
      return lanes.is_label(v) ? c : -c;
    else
      return -c;  // c sums to zero, too
  }

 private:
  Targets targets_;
};

}  // namespace polymargin
