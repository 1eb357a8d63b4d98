// Shrinking and cooling (000, section 2.1): after each full round come rounds over the examples
// whose block is not at a vertex, looking only at the classes in its support, until these are
// epsilon-optimal or have cost more than five full rounds, counted in derivatives g_i^m. Cooling
// starts epsilon at 1 and divides it by ten whenever a full round finds every example
// epsilon-optimal.
#pragma once

#include <algorithm>

#include "polymargin/driver/linear/schedule.hpp"

namespace polymargin {

class ShrinkingSchedule final : public Schedule {
 public:
  ShrinkingSchedule(std::vector<std::int32_t> examples, double final_epsilon, bool cooling)
      : Schedule(std::move(examples)),
        final_epsilon_(final_epsilon),
        cooling_(cooling),
        epsilon_(cooling ? 1 : final_epsilon) {}

  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector& inspector) override {
    if (!shrunk_ && worst_ < epsilon_ && cooling_)
      epsilon_ = std::max(epsilon_ / 10, final_epsilon_);
    const bool optimal = worst_ < epsilon_;
    shrunk_ = started_ &&
              !(shrunk_ && (optimal || effort_ > kEffectiveRounds * double(examples_.size())));
    if (!shrunk_) effort_ = 0;
    started_ = true;
    worst_ = 0;
    if (!shrunk_) return all_permuted(round, random);
    round.clear();
    for (std::int32_t i : examples_)
      if (!inspector.settled(i)) round.push_back(i);
    if (round.empty()) return all_permuted(round, random);
    random.shuffle(std::span(round));
  }

  void all_permuted(std::vector<std::int32_t>& round, Random& random) override {
    shrunk_ = false;
    Schedule::all_permuted(round, random);
  }

  bool support_only() const override { return shrunk_; }

  void report(std::int32_t, double violation, double) override {
    worst_ = std::max(worst_, violation);
  }

  void count_evaluations(int evaluated, int classes) override {
    if (shrunk_) effort_ += double(evaluated) / classes;
  }

 private:
  static constexpr double kEffectiveRounds = 5;

  double final_epsilon_;
  bool cooling_;
  double epsilon_;
  bool started_ = false;
  bool shrunk_ = false;
  double worst_ = 1e300;
  double effort_ = 0;  // in visits of all classes
};

}  // namespace polymargin
