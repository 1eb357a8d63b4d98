// Pairs of variables for machines that count the largest hinge (004, section 4.4 for
// Crammer-Singer): both of one example, so that its sum stays what it is. In the block u >= 0,
// sum u <= C_i one of them may be the slack C_i - sum u, with gradient zero; these pairs are the
// edges of a simplex, and every way to go inside it is made of them. The curvature of a pair is
// about as large as k(x_i, x_i).
//
// Crammer-Singer moves one pair at a time, as in the paper: S2DO is SMO there. Where weights sum to
// zero, for which there is no paper, S2DO moves a pair of each of two examples: the second is the
// one that violates its conditions most after the first has gone its way (004, section 4.3, with
// pairs in the place of variables).
#pragma once

#include <cmath>

#include "polymargin/driver/kernel/box_selection.hpp"

namespace polymargin {

template <class Real, class Margin>
class SimplexSelection final : public Selection<Real> {
 public:
  SimplexSelection(Decomposition<Real>& problem, const Targets& targets)
      : problem_(problem),
        margin_(targets),
        weights_(problem.size()),
        slacks_(problem.size()),
        trial_(problem.layout().stride) {
    for (std::int32_t i = 0; i < std::int32_t(problem.size()); ++i)
      weights_[i] = 1 / std::sqrt(problem.examples()[i].curvature);
    refresh();
  }

  void refresh() override {
    for (std::int32_t i = 0; i < std::int32_t(problem_.size()); ++i) refresh(i);
  }

  Choice first(const ScoreUpdate<Real>* update, std::int64_t active) override {
    Choice choice;
    const Scan found = scan(active, [&](auto pack, std::int64_t c, Real* score) {
      using V = decltype(pack);
      if (update) add_to_score<V>(*update, c, problem_.layout().packs, score);
      return score;
    });
    choice.violation = double(found.worst);
    if (found.example >= 0)
      choice.direction = pair_of(found.example, problem_.score(found.example));
    return choice;
  }

  Direction second(const Direction& first, double curvature, const Real* coefficients,
                   const Real* row, std::int64_t active) override {
    if (!Margin::kSumsToZero || !(curvature > 0)) return {};
    const double length = std::clamp(first.gradient / curvature, first.lower, first.upper);
    Real* const trial = trial_.data();
    const auto after_first = [&](std::int64_t c, const Real* score) {
      const Real moved = Real(length) * row[c];
      for (int m = 0; m < problem_.layout().stride; ++m)
        trial[m] = score[m] + moved * coefficients[m];
      return trial;
    };
    const Scan found = scan(active, [&](auto, std::int64_t c, Real* score) -> Real* {
      return problem_.columns()[c] == first.example ? nullptr : after_first(c, score);
    });
    if (found.example < 0) return {};
    const Real* const score = problem_.score(found.example);
    Direction pair = pair_of(found.example, after_first(problem_.column_of(found.example), score));
    const Block<Real> now = measured(found.example, score);
    pair.gradient = double(pair.rising < 0 ? Real(0) : now.change[pair.rising]) -
                    double(pair.falling < 0 ? Real(0) : now.change[pair.falling]);
    return pair;
  }

  void apply(const Direction& direction, double mu, Real* change) override {
    const std::int32_t i = direction.example;
    Real* const u = problem_.dual(i);
    const auto set = [&](int m, double value) {
      change[m] = Real(value) - u[m];
      u[m] = Real(value);
    };
    if (direction.falling >= 0) {  // what rounding would leave of it could not move later
      const double left = double(u[direction.falling]) - mu;
      const double least = double(kZeroShare) * double(problem_.examples()[i].loss_weight);
      set(direction.falling, mu >= direction.upper || left < least ? 0 : left);
    }
    if (direction.rising >= 0) {
      const double before = double(u[direction.rising]);
      const double room = double(problem_.examples()[i].loss_weight) - (sum_of(i) - before);
      set(direction.rising, std::clamp(before + mu, 0.0, std::max(room, 0.0)));
    }
    refresh(i);
  }

  // At a vertex, one variable has all of C_i; it is settled if all others are far below.
  bool is_settled(std::int32_t i, double violation) override {
    const Block<Real> block = measured(i, problem_.score(i));
    int givers = slacks_[i] > 0;
    Real lowest = 0, highest = slacks_[i] > 0 ? -std::numeric_limits<Real>::infinity() : Real(0);
    for (int m = 0; m < block.layout.classes; ++m) {
      const Real h = block.change[m];
      if (block.dual[m] > 0) {
        ++givers;
        lowest = h;
      } else {
        highest = std::max(highest, h);
      }
    }
    return givers == 1 && highest <= lowest - Real(violation);
  }

 private:
  // Below this share of C_i the slack is rounding, as SimplexBlocks has it.
  static constexpr Real kZeroShare = 8 * std::numeric_limits<Real>::epsilon();

  void refresh(std::int32_t i) {
    const Real loss_weight = problem_.examples()[i].loss_weight;
    const Real slack = Real(double(loss_weight) - sum_of(i));
    slacks_[i] = slack > kZeroShare * loss_weight ? slack : Real(0);
  }

  double sum_of(std::int32_t i) {
    double sum = 0;
    for (int m = 0; m < problem_.layout().classes; ++m) sum += double(problem_.dual(i)[m]);
    return sum;
  }

  // The block with its gradients in `change`, kNowhere without a variable.
  Block<Real> measured(std::int32_t i, const Real* score) {
    const Block<Real> block = problem_.block(i, score);
    with_lanes(block, [&](const auto& lanes) {
      const auto shift = margin_.uncentred_shift(lanes);
      for (int v = 0; v < lanes.packs; ++v)
        store(block.change + v * lanes.kLanes, margin_.violation(lanes, v, shift));
    });
    return block;
  }

  struct Scan {
    std::int32_t example = -1;  // where a pair seems to gain most
    Real worst = 0;             // violation of all
  };

  // Over the examples of the first `active` columns, with the scores that `score_of` tells; none
  // leaves one out.
  template <class ScoreOf>
  Scan scan(std::int64_t active, ScoreOf&& score_of) {
    const ClassLayout& layout = problem_.layout();
    Scan found;
    Real best = 0;
    with_pack_bytes(layout.bytes, [&](auto bytes) {
      with_pack_count(layout.packs, [&](auto packs) {
        using Lanes = BlockLanes<Real, bytes(), packs()>;
        const std::int32_t* const columns = problem_.columns().data();
        Real *score = problem_.scores().data(), worst = 0;
        for (std::int64_t c = 0; c < active; ++c, score += layout.stride) {
          const Real* const looked_at = score_of(typename Lanes::V{}, c, score);
          if (looked_at == nullptr) continue;
          const Block<Real> block = problem_.block(columns[c], looked_at);
          const auto [highest, lowest] = ends(Lanes(block), slacks_[columns[c]] > 0);
          const Real value = (highest - lowest) * weights_[columns[c]];
          worst = std::max(worst, highest - lowest);
          if (!(value > best)) continue;
          best = value;
          found.example = columns[c];
        }
        found.worst = worst;
      });
    });
    return found;
  }

  // The highest gradient, and the lowest of those that can give, the slack's zero among them.
  template <class Lanes>
  std::pair<Real, Real> ends(const Lanes& lanes, bool slack_gives) const {
    using V = typename Lanes::V;
    const auto shift = margin_.uncentred_shift(lanes);
    V highest{}, lowest = V{} + (slack_gives ? Real(0) : -kNowhere<Real>);
    for (int v = 0; v < lanes.packs; ++v) {
      const V h = margin_.violation(lanes, v, shift);
      highest = max_of(highest, h);
      lowest = min_of(lowest, lanes.dual(v) > V{} ? h : V{} - kNowhere<Real>);
    }
    return {Lanes::max(highest), Lanes::min(lowest)};
  }

  Direction pair_of(std::int32_t i, const Real* score) {
    const Block<Real> block = measured(i, score);
    Direction pair{i};
    Real highest = 0, lowest = -kNowhere<Real>;
    if (slacks_[i] > 0) {
      lowest = 0;
      pair.upper = double(slacks_[i]);
    }
    for (int m = 0; m < block.layout.classes; ++m) {
      const Real h = block.change[m];
      if (h > highest) {
        highest = h;
        pair.rising = m;
      }
      if (block.dual[m] > 0 && h < lowest) {
        lowest = h;
        pair.falling = m;
        pair.upper = double(block.dual[m]);
      }
    }
    pair.gradient = double(highest) - double(lowest);
    return pair;
  }

  Decomposition<Real>& problem_;
  Margin margin_;
  std::vector<Real> weights_;  // of a violation: its square over the curvature is the gain
  std::vector<Real> slacks_;
  AlignedArray<Real> trial_;  // scores after a step
};

}  // namespace polymargin
