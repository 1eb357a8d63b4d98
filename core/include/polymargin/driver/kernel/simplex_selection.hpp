// Pairs of variables for machines that count the largest hinge (004, section 4.4 for
// Crammer-Singer): both of one example, so that its sum stays what it is. In the block u >= 0,
// sum u <= C_i one of them may be the slack C_i - sum u, with gradient zero. The curvature of a
// pair is about as large as k(x_i, x_i).
#pragma once

#include <cmath>

#include "polymargin/driver/kernel/box_selection.hpp"

namespace polymargin {

template <class Real, class Margin>
class SimplexSelection final : public Selection<Real> {
 public:
  SimplexSelection(Decomposition<Real>& problem, const Targets& targets)
      : problem_(problem), margin_(targets), weights_(problem.size()), slacks_(problem.size()) {
    for (std::int32_t i = 0; i < std::int32_t(problem.size()); ++i)
      weights_[i] = 1 / std::sqrt(problem.examples()[i].curvature);
    refresh();
  }

  void refresh() override {
    for (std::int32_t i = 0; i < std::int32_t(problem_.size()); ++i) refresh(i);
  }

  Choice first(const ScoreUpdate<Real>* update, std::int64_t active) override {
    const ClassLayout& layout = problem_.layout();
    Choice choice;
    Real best = 0;
    std::int32_t chosen = -1;
    with_pack_bytes(layout.bytes, [&](auto bytes) {
      with_pack_count(layout.packs, [&](auto packs) {
        using Lanes = BlockLanes<Real, bytes(), packs()>;
        const std::int32_t* const columns = problem_.columns().data();
        Real *score = problem_.scores().data(), worst = 0;
        for (std::int64_t c = 0; c < active; ++c, score += layout.stride) {
          if (update) add_to_score<typename Lanes::V>(*update, c, layout.packs, score);
          const Block<Real> block = problem_.block(columns[c], score);
          const auto [highest, lowest] = ends(Lanes(block), slacks_[columns[c]] > 0);
          const Real value = (highest - lowest) * weights_[columns[c]];
          worst = std::max(worst, highest - lowest);
          if (!(value > best)) continue;
          best = value;
          chosen = columns[c];
        }
        choice.violation = double(worst);
      });
    });
    if (chosen >= 0) choice.direction = pair_of(chosen);
    return choice;
  }

  // Both variables are chosen already.
  Direction second(const Direction&, double, const Real*, const Real*, std::int64_t) override {
    return {};
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
    const Block<Real> block = measured(i);
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
  Block<Real> measured(std::int32_t i) {
    const Block<Real> block = problem_.block(i, problem_.score(i));
    with_lanes(block, [&](const auto& lanes) {
      const auto shift = margin_.uncentred_shift(lanes);
      for (int v = 0; v < lanes.packs; ++v)
        store(block.change + v * lanes.kLanes, margin_.violation(lanes, v, shift));
    });
    return block;
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

  Direction pair_of(std::int32_t i) {
    const Block<Real> block = measured(i);
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
};

}  // namespace polymargin
