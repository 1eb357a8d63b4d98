// Adaptive coordinate frequencies (ACF; Glasmachers and Dogan, 2013): an example is visited in
// proportion to a preference that follows the gain of its visits relative to the running mean.
// Two changes, both measured (docs/benchmarks.md): the rate is a quarter of the published one,
// which lets the preference average over more visits; and below one it moves fast, halved by a
// visit that changes nothing and doubled by one that does, which does the work of shrinking.
#pragma once

#include <algorithm>

#include "polymargin/driver/schedule.hpp"

namespace polymargin {

class AdaptiveSchedule final : public Schedule {
 public:
  // `total` bounds the numbers of the examples.
  AdaptiveSchedule(std::vector<std::int32_t> examples, std::int64_t total)
      : Schedule(std::move(examples)), state_(total) {}

  // As many visits as examples; what an example is owed below one visit is carried over.
  void next_round(std::vector<std::int32_t>& round, Random& random,
                  const std::function<bool(std::int32_t)>&) override {
    if (rounds_++ == 0) return all_permuted(round, random);
    double sum = 0;
    for (std::int32_t i : examples_) sum += state_[i].preference;
    const float share = float(double(examples_.size()) / sum);
    round.clear();
    for (std::int32_t i : examples_) {
      State& state = state_[i];
      for (state.owed += share * state.preference; state.owed >= 1; state.owed -= 1)
        round.push_back(i);
    }
    if (round.empty()) return all_permuted(round, random);
    random.shuffle(std::span(round));
  }

  void report(std::int32_t i, double, double gain) override {
    const double size = double(examples_.size());
    if (rounds_ == 1) {  // the first pass only measures the mean
      mean_gain_ += gain / size;
      return;
    }
    float& preference = state_[i].preference;
    if (!(gain > 0))
      preference /= 2;
    else if (preference < 1 && gain > kWorthwhile * mean_gain_)
      preference = std::min(2 * preference, 1.0f);
    const double surplus = mean_gain_ > 0 ? gain / mean_gain_ - 1 : 0;
    const double x = std::clamp(kRate * surplus, -0.5, 0.5);
    preference *= float(1 + x + x * x / 2);  // exp(x), near enough
    preference = std::clamp(preference, kLeast, kMost);
    mean_gain_ += (gain - mean_gain_) / size;
  }

 private:
  static constexpr double kRate = 0.05;
  static constexpr double kWorthwhile = 0.1;
  static constexpr float kLeast = 0.02f, kMost = 20.0f;

  struct State {
    float preference = 1;
    float owed = 0;
  };
  std::vector<State> state_;
  double mean_gain_ = 0;
  std::int64_t rounds_ = 0;
};

}  // namespace polymargin
