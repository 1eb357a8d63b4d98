// Variables of machines whose block is a box, each by itself (004, sections 4.2 and 4.3). With the
// coefficients b of a unit of each variable, Q_{(i,m),(j,e)} = k(x_i, x_j) <b_im, b_je>, plus the
// penalty of a squared hinge on the diagonal.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "polymargin/driver/kernel/selection.hpp"
#include "polymargin/machine/margin.hpp"

namespace polymargin {

// Adds two kernel values times coefficients to the scores of a column.
template <class V, class Real>
[[gnu::always_inline]] inline void add_to_score(const ScoreUpdate<Real>& update, std::int64_t c,
                                                int packs, Real* score) {
  constexpr int kLanes = int(sizeof(V) / sizeof(Real));
  const Real first = update.rows[0][c], second = update.rows[1][c];
  for (int v = 0; v < packs; ++v)
    store(score + v * kLanes, load<V>(score + v * kLanes) +
                                  first * load<V>(update.coefficients[0] + v * kLanes) +
                                  second * load<V>(update.coefficients[1] + v * kLanes));
}

template <class Real, class Margin>
class BoxSelection final : public Selection<Real> {
 public:
  BoxSelection(Decomposition<Real>& problem, const Targets& targets, bool squared, bool by_gain)
      : problem_(problem), margin_(targets) {
    const int classes = problem.layout().classes;
    const double norm = margin_.delta(classes) + margin_.rho(classes);  // |b_im|^2
    for (std::int32_t i = 0; i < std::int32_t(problem.size()); ++i) {
      const Example<Real>& example = problem.examples()[i];
      const Real penalty = squared ? 1 / (2 * example.loss_weight) : Real(0);
      const Real diagonal = Real(norm) * example.curvature + penalty;
      sides_.push_back({squared ? -kNowhere<Real> : example.loss_weight, penalty, diagonal,
                        by_gain ? 1 / std::sqrt(diagonal) : Real(1)});
    }
  }

  Choice first(const ScoreUpdate<Real>* update, std::int64_t active) override {
    return with_packs([&](auto bytes, auto packs) {
      using Lanes = BlockLanes<Real, bytes(), packs()>;
      return update ? scan_first<Lanes, true>(update, active)
                    : scan_first<Lanes, false>(update, active);
    });
  }

  Direction second(const Direction& first, double curvature, const Real* coefficients,
                   const Real* row, std::int64_t active) override {
    return with_packs([&](auto bytes, auto packs) {
      using Lanes = BlockLanes<Real, bytes(), packs()>;
      return scan_second<Lanes>(first, Real(curvature), coefficients, row, active);
    });
  }

  void apply(const Direction& direction, double mu, Real* change) override {
    Real& u = problem_.dual(direction.example)[direction.rising];
    const Real before = u;
    if (mu >= direction.upper)
      u = sides_[direction.example].upper;
    else
      u = mu <= direction.lower ? Real(0) : Real(double(u) + mu);
    change[direction.rising] = u - before;
  }

  double penalty(std::int32_t i) const override { return double(sides_[i].penalty); }

  bool is_settled(std::int32_t i, double violation) override {
    const Block<Real> block = problem_.block(i, problem_.score(i));
    return with_lanes(block, [&](const auto& lanes) {
      using V = typename std::decay_t<decltype(lanes)>::V;
      const Side& side = sides_[i];
      const Real least = Real(violation);
      const auto shift = margin_.uncentred_shift(lanes);
      for (int v = 0; v < lanes.packs; ++v) {
        const V u = lanes.dual(v), h = margin_.violation(lanes, v, shift) - side.penalty * u;
        const auto settled =
            ((u <= V{}) & (h <= V{} - least)) | ((u >= V{} + side.upper) & (h >= V{} + least));
        if (lanes.count(settled) < std::decay_t<decltype(lanes)>::kLanes) return false;
      }
      return true;
    });
  }

 private:
  struct Side {
    Real upper, penalty, diagonal;
    Real weight;  // of a gradient, when the first is chosen
  };

  template <class F>
  auto with_packs(F&& f) const {
    const ClassLayout& layout = problem_.layout();
    return with_pack_bytes(layout.bytes, [&](auto bytes) {
      return with_pack_count(layout.packs, [&](auto packs) { return f(bytes, packs); });
    });
  }

  // The number of lane `lane` of pack `at`, counted over all columns.
  Direction direction_at(std::int64_t at, int packs, int lanes, int lane) {
    Direction direction;
    direction.example = problem_.columns()[at / packs];
    direction.rising = int(at % packs) * lanes + lane;
    const Side& side = sides_[direction.example];
    const Block<Real> block = problem_.block(direction.example, problem_.score(direction.example));
    const Real u = block.dual[direction.rising];
    with_lanes(block, [&](const auto& view) {
      const auto h =
          margin_.violation(view, direction.rising / view.kLanes, margin_.uncentred_shift(view));
      direction.gradient = double(h[direction.rising % view.kLanes]);
    });
    direction.gradient -= double(side.penalty) * double(u);
    direction.lower = -double(u);
    direction.upper = side.upper < -kNowhere<Real> ? double(side.upper) - double(u)
                                                   : std::numeric_limits<double>::infinity();
    return direction;
  }

  // The violating variable with the largest weighted gradient.
  template <class Lanes, bool Updating>
  Choice scan_first(const ScoreUpdate<Real>* update, std::int64_t active) {
    using V = typename Lanes::V;
    using I = typename Lanes::I;
    V worst{}, best{};
    I best_at = I{} - 1;
    const std::int32_t* const columns = problem_.columns().data();
    const int packs = problem_.layout().packs;
    std::int32_t at = 0;
    Real* score = problem_.scores().data();
    for (std::int64_t c = 0; c < active; ++c, score += problem_.layout().stride) {
      if (Updating) add_to_score<V>(*update, c, packs, score);
      const Side side = sides_[columns[c]];
      const Block<Real> block = problem_.block(columns[c], score);
      const Lanes lanes(block);
      const auto shift = margin_.uncentred_shift(lanes);
      for (int v = 0; v < lanes.packs; ++v, ++at) {
        const V u = lanes.dual(v);
        const V gradient = margin_.violation(lanes, v, shift) - side.penalty * u;
        // 004, the set of violating variables: gradients that lead into the box.
        V inward = u > V{} ? gradient : max_of(gradient, V{});
        inward = u < V{} + side.upper ? inward : min_of(inward, V{});
        inward = max_of(inward, -inward);
        const V value = inward * side.weight;
        worst = max_of(inward, worst);
        best_at = value > best ? I{} + at : best_at;
        best = max_of(best, value);
      }
    }
    Choice choice;
    choice.violation = double(Lanes::max(worst));
    const int lane = best_lane<Lanes>(best, V{} + 1, best_at);
    if (lane >= 0) choice.direction = direction_at(best_at[lane], packs, Lanes::kLanes, lane);
    return choice;
  }

  // 004, section 4.3: with a given, the gain of a and b is that of a plus r^2 / 2S (TwoVariables).
  // A variable takes part if it can move as its r wants; if S is rounding, that gain is infinite
  // and a large number here, so that larger r come first. Ratios are compared by their products.
  template <class Lanes>
  Direction scan_second(const Direction& first, Real curvature, const Real* coefficients,
                        const Real* row, std::int64_t active) {
    using V = typename Lanes::V;
    using I = typename Lanes::I;
    constexpr Real kFloor = 8 * std::numeric_limits<Real>::epsilon();
    const Real step = Real(first.gradient) / curvature, inverse = 1 / curvature;
    V best{}, best_rest = V{} + 1;  // r^2 and S of the best so far
    I best_at = I{} - 1;
    const std::int32_t* const columns = problem_.columns().data();
    const int packs = problem_.layout().packs;
    std::int32_t at = 0;
    const Real* score = problem_.scores().data();
    for (std::int64_t c = 0; c < active; ++c, score += problem_.layout().stride) {
      const Side side = sides_[columns[c]];
      const Block<Real> block = problem_.block(columns[c], score);
      Block<Real> others = block;
      others.score = coefficients;
      const Lanes lanes(block), first_lanes(others);
      const auto shift = margin_.uncentred_shift(lanes);
      const auto first_shift = linear_.uncentred_shift(first_lanes);
      const int itself = columns[c] == first.example ? first.rising : -1;
      for (int v = 0; v < lanes.packs; ++v, ++at) {
        const V u = lanes.dual(v), margin = margin_.violation(lanes, v, shift);
        const V coupling = -row[c] * linear_.violation(first_lanes, v, first_shift);  // Q_ab
        const V r = margin - side.penalty * u - coupling * step;
        V rest = side.diagonal - coupling * coupling * inverse;  // S
        rest = max_of(rest, V{} + kFloor * side.diagonal);
        const V value = r * r;
        const I able = (r > V{} ? u < V{} + side.upper : u > V{}) & (margin > kNowhere<Real> / 2) &
                       (lanes.numbers(v) != I{} + itself);
        const I better = able & (value * best_rest > best * rest);
        best = better ? value : best;
        best_rest = better ? rest : best_rest;
        best_at = better ? I{} + at : best_at;
      }
    }
    const int lane = best_lane<Lanes>(best, best_rest, best_at);
    return lane < 0 ? Direction{} : direction_at(best_at[lane], packs, Lanes::kLanes, lane);
  }

  // The lane with the largest ratio, of equal ones the first that was met; -1 if there is none.
  template <class Lanes>
  static int best_lane(typename Lanes::V value, typename Lanes::V divisor, typename Lanes::I at) {
    int best = -1;
    Real ratio = 0;
    for (int lane = 0; lane < Lanes::kLanes; ++lane) {
      if (at[lane] < 0) continue;
      const Real other = value[lane] / divisor[lane];
      if (best >= 0 && !(other > ratio || (other == ratio && at[lane] < at[best]))) continue;
      best = lane;
      ratio = other;
    }
    return best;
  }

  Decomposition<Real>& problem_;
  Margin margin_;
  Margin linear_{Targets{0, 0}};  // without targets h is -E s, for coefficients in place of scores
  std::vector<Side> sides_;
};

}  // namespace polymargin
