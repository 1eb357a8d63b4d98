// Adaptive coordinate frequencies (ACF; Glasmachers and Dogan, 2013): an example is visited in
// proportion to a preference that follows the gain of its visits relative to the mean gain.
// Two changes, both measured (docs/benchmarks.md): the rate is a quarter of the published one,
// which lets the preference average over more visits; and below one it moves fast, halved by a
// visit that changes nothing and doubled by one that does, which does the work of shrinking.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "polymargin/driver/linear/schedule.hpp"

namespace polymargin {

class AdaptiveSchedule final : public Schedule {
 public:
  // `total` bounds the numbers of the examples.
  AdaptiveSchedule(std::vector<std::int32_t> examples, std::int64_t total)
      : Schedule(std::move(examples)), state_(total) {}

  // As many visits as examples; what an example is owed below one visit is carried over.
  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector&) override {
    if (visits_ == 0) return all_permuted(round, random);
    mean_gain_ = float(gains_ / double(visits_));
    inverse_mean_ = mean_gain_ > 0 ? 1 / mean_gain_ : 0;
    gains_ = 0;
    visits_ = 0;
    const float share = float(double(examples_.size()) / sum_of_preferences());
    std::size_t visits = 0;
    for (std::int32_t i : examples_) {
      state_[i].owed += share * state_[i].preference;
      visits += std::size_t(state_[i].owed);
    }
    round.resize(visits + 1);
    std::int32_t* next = round.data();
    for (std::int32_t i : examples_) {
      float owed = state_[i].owed;
      const bool due = owed >= 1;  // not a branch, which nobody could predict
      *next = i;
      next += due;
      for (owed -= float(due); owed >= 1; owed -= 1) *next++ = i;
      state_[i].owed = owed;
    }
    round.resize(visits);
    if (round.empty()) return all_permuted(round, random);
    random.shuffle(std::span(round));
  }

  void report(std::int32_t i, double, double gain) override {
    gains_ += gain;
    ++visits_;
    if (mean_gain_ < 0) return;  // the first pass only measures the mean
    const float relative = float(gain) * inverse_mean_;
    // No branches, which nobody could predict.
    const float before = state_[i].preference;
    const float doubled = std::max(before, std::min(2 * before, 1.0f));
    const float moved = relative > kWorthwhile ? doubled : before;
    float preference = gain > 0 ? moved : before / 2;
    const float x = std::clamp(kRate * (relative - 1), -0.5f, 0.5f);
    preference *= 1 + x + x * x / 2;  // exp(x), near enough
    state_[i].preference = std::clamp(preference, kLeast, kMost);
  }

  void prefetch(std::int32_t i) const override { __builtin_prefetch(&state_[i]); }

  void take_back(std::span<const std::int32_t> rest) override {
    for (std::int32_t i : rest) state_[i].owed += 1;
  }

  // The mean gain of a visit, then preference and debt of every example. The visits since the last
  // round began are as good as forgotten.
  std::vector<float> memory() const override {
    std::vector<float> memory{visits_ > 0 ? float(gains_ / double(visits_)) : mean_gain_};
    for (const State& state : state_) memory.insert(memory.end(), {state.preference, state.owed});
    return memory;
  }

  void recall(std::span<const float> memory) override {
    if (memory.size() != 1 + 2 * state_.size()) return;
    // Where nothing was gained, or nothing visited, a round of all examples comes next.
    gains_ = memory[0];
    visits_ = memory[0] > 0 ? 1 : 0;
    for (std::size_t i = 0; i < state_.size(); ++i)
      state_[i] = {memory[1 + 2 * i], memory[2 + 2 * i]};
  }

 private:
  double sum_of_preferences() const {
    const auto preference = [&](std::size_t e) { return double(state_[examples_[e]].preference); };
    double even = 0, odd = 0;  // which do not wait for each other
    std::size_t e = 0;
    for (; e + 2 <= examples_.size(); e += 2) {
      even += preference(e);
      odd += preference(e + 1);
    }
    return even + odd + (e < examples_.size() ? preference(e) : 0);
  }

  static constexpr float kRate = 0.05f;
  static constexpr float kWorthwhile = 0.1f;
  static constexpr float kLeast = 0.02f, kMost = 20.0f;

  struct State {
    float preference = 1;
    float owed = 0;
  };
  std::vector<State> state_;
  double gains_ = 0;  // of this round
  std::int64_t visits_ = 0;
  float mean_gain_ = -1;  // of a visit of the last round
  float inverse_mean_ = 0;
};

}  // namespace polymargin
