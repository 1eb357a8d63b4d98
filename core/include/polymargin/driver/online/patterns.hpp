// The support patterns of a machine that learns online, and their variables: those of (2) to (5) in
// 001 that are not zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "polymargin/access/support_classes.hpp"
#include "polymargin/base/random.hpp"
#include "polymargin/machine/exchange_machine.hpp"
#include "polymargin/restricted/pair.hpp"

namespace polymargin {

struct Pattern {
  std::int32_t label = 0;
  double loss_weight = 0;  // C_i
  double curvature = 0;    // k(x_i, x_i)
};

// What one class of a pattern gives to another, and which of them that takes to its bound.
struct ExchangeStep : PairStep {
  bool at_upper = false, at_lower = false;  // the class that grows, the class that falls
};

class Patterns {
 public:
  Patterns(int classes, const ExchangeMachine& machine) : machine_(machine), support_(classes) {}

  const ExchangeMachine& machine() const { return machine_; }

  std::int64_t places() const { return std::int64_t(position_.size()); }
  void grow(std::int64_t places) {
    patterns_.resize(places);
    position_.resize(places, -1);
    support_.grow(places);
  }

  SupportClasses& support() { return support_; }
  const SupportClasses& support() const { return support_; }
  Pattern& at(std::int32_t place) { return patterns_[place]; }
  const Pattern& at(std::int32_t place) const { return patterns_[place]; }

  // The places of support patterns.
  const std::vector<std::int32_t>& list() const { return list_; }
  bool contains(std::int32_t place) const { return position_[place] >= 0; }
  std::int32_t draw(Random& random) const {
    return list_[random.below(std::uint32_t(list_.size()))];
  }

  bool is_label(std::int32_t place, std::int32_t label) const { return label == at(place).label; }
  double penalty(std::int32_t place, std::int32_t label) const {
    return machine_.penalty(is_label(place, label), at(place).loss_weight);
  }
  double upper(std::int32_t place, std::int32_t label) const {
    return machine_.upper(is_label(place, label), at(place).loss_weight);
  }
  double lower(std::int32_t place, std::int32_t label) const {
    return machine_.lower(is_label(place, label), at(place).loss_weight);
  }
  bool can_rise(std::int32_t place, SupportClasses::Entry entry) const {
    return support_.coefficient(entry) < upper(place, entry.label);
  }
  bool can_fall(std::int32_t place, SupportClasses::Entry entry) const {
    return support_.coefficient(entry) > lower(place, entry.label);
  }

  // The best exchange between two support classes.
  ExchangeStep exchange(std::int32_t place, SupportClasses::Entry up,
                        SupportClasses::Entry down) const {
    const double rise = upper(place, up.label) - support_.coefficient(up);
    const double fall = support_.coefficient(down) - lower(place, down.label);
    const double curvature =
        at(place).curvature + (penalty(place, up.label) + penalty(place, down.label)) / 2;
    const PairStep step =
        pair_step(support_.gradient(up) - support_.gradient(down), curvature, std::min(rise, fall));
    return {step, step.clipped && rise <= fall, step.clipped && fall <= rise};
  }

  void insert(std::int32_t place) {
    position_[place] = std::int32_t(list_.size());
    list_.push_back(place);
  }
  // With all of its support classes.
  void erase(std::int32_t place) {
    while (!support_.entries(place).empty())
      support_.remove(place, support_.entries(place).back().label);
    const std::int32_t position = std::exchange(position_[place], -1), last = list_.back();
    list_.pop_back();
    if (last == place) return;
    list_[position] = last;
    position_[last] = position;
  }

  // The dual objective (2), by sum_j beta_j k(x_i, x_j) + p beta_i = target - g_i.
  double dual() const {
    double twice = 0;
    for (std::int32_t place : list_)
      for (const auto entry : support_.entries(place)) {
        const double target = machine_.target(is_label(place, entry.label));
        twice += support_.coefficient(entry) * (target + support_.gradient(entry));
      }
    return twice / 2;
  }
  // What the loss takes from it: 1/2 sum p beta^2.
  double penalties() const {
    double twice = 0;
    for (std::int32_t place : list_)
      for (const auto entry : support_.entries(place)) {
        const double beta = support_.coefficient(entry);
        twice += penalty(place, entry.label) * beta * beta;
      }
    return twice / 2;
  }

  // How much lower the dual would be without this pattern, others unchanged.
  double importance(std::int32_t place) const {
    double linear = 0, squares = 0, penalties = 0;
    for (const auto entry : support_.entries(place)) {
      const double beta = support_.coefficient(entry);
      linear += beta * support_.gradient(entry);
      squares += beta * beta;
      penalties += penalty(place, entry.label) * beta * beta;
    }
    return linear + (at(place).curvature * squares + penalties) / 2;
  }
  std::int32_t least_important() const {
    std::int32_t least = list_.front();
    double lowest = importance(least);
    for (std::int32_t place : list_)
      if (const double value = importance(place); value < lowest) {
        lowest = value;
        least = place;
      }
    return least;
  }

  // The lowest places that are not occupied.
  std::vector<std::int32_t> free(std::int64_t count) const {
    std::vector<std::int32_t> found;
    for (std::int32_t place = 0; std::int64_t(found.size()) < count; ++place)
      if (!contains(place)) found.push_back(place);
    return found;
  }

 private:
  ExchangeMachine machine_;
  SupportClasses support_;
  std::vector<Pattern> patterns_;       // by place
  std::vector<std::int32_t> position_;  // by place: where it is in the list, or -1
  std::vector<std::int32_t> list_;
};

}  // namespace polymargin
