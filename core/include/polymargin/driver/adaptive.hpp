// Adaptive coordinate frequencies (Glasmachers and Dogan, 2013): an example is visited in
// proportion to a preference that follows the gain of its visits relative to the running mean.
#pragma once

#include <algorithm>
#include <cmath>

#include "polymargin/driver/schedule.hpp"

namespace polymargin {

class AdaptiveSchedule final : public Schedule {
 public:
  explicit AdaptiveSchedule(std::vector<std::int32_t> examples, std::int64_t total, double rate)
      : Schedule(std::move(examples)),
        rate_(float(rate)),
        preference_(total, 1.0f),
        owed_(total, 0.0f) {}

  void next_round(std::vector<std::int32_t>& round, Random& random,
                  const std::function<bool(std::int32_t)>&) override {
    const double size = double(examples_.size());
    if (rounds_++ == 0) {
      all_permuted(round, random);
      return;
    }
    double sum = 0;
    for (std::int32_t i : examples_) sum += preference_[i];
    const float share = float(size / sum);
    round.clear();
    for (std::int32_t i : examples_) {
      owed_[i] += share * preference_[i];
      for (; owed_[i] >= 1; owed_[i] -= 1) round.push_back(i);
    }
    if (round.empty()) all_permuted(round, random);
    random.shuffle(std::span(round));
  }

  void report(std::int32_t i, double, double gain) override {
    const double size = double(examples_.size());
    if (rounds_ > 1) {
      const double relative = rate_ * (mean_gain_ > 0 ? gain / mean_gain_ - 1 : 0);
      // exp(x) near zero to second order is enough for a step of a heuristic.
      const double x = std::clamp(relative, -0.5, 0.5);
      const double factor = 1 + x + x * x / 2;
      preference_[i] = std::clamp(float(preference_[i] * factor), kLeast, kMost);
      mean_gain_ += (gain - mean_gain_) / size;
    } else {
      mean_gain_ += gain / size;
    }
  }

 private:
  static constexpr float kLeast = 0.02f, kMost = 20.0f;

  float rate_;
  std::vector<float> preference_;
  std::vector<float> owed_;
  double mean_gain_ = 0;
  int rounds_ = 0;
};

// Calendar: an example whose visit brought less than a share of the mean gain waits twice as long
// for its next visit, one that brought more half as long.
class CalendarSchedule final : public Schedule {
 public:
  CalendarSchedule(std::vector<std::int32_t> examples, std::int64_t total, double share)
      : Schedule(std::move(examples)), share_(share), wait_(total, 0) {}

  void next_round(std::vector<std::int32_t>& round, Random& random,
                  const std::function<bool(std::int32_t)>&) override {
    random_ = &random;
    if (today_++ == 0) {
      round = examples_;
    } else {
      do {
        round.clear();
        std::swap(round, days_[today_ % kDays]);
        if (round.empty()) ++today_;
      } while (round.empty());
      if (count_ > 0) mean_gain_ = sum_ / double(count_);
      sum_ = 0;
      count_ = 0;
    }
    random.shuffle(std::span(round));
  }

  void report(std::int32_t i, double, double gain) override {
    sum_ += gain;
    ++count_;
    wait_[i] = gain > share_ * mean_gain_ ? wait_[i] / 2 : std::min(2 * wait_[i] + 1, kDays - 2);
    const int days = wait_[i] ? int(random_->below(std::uint32_t(wait_[i] + 1))) : 0;
    days_[(today_ + 1 + days) % kDays].push_back(i);
  }

 private:
  static constexpr int kDays = 65;
  double share_;
  std::vector<std::uint8_t> wait_;
  std::vector<std::int32_t> days_[kDays];
  Random* random_ = nullptr;
  std::int64_t today_ = 0;
  double mean_gain_ = 0, sum_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace polymargin
