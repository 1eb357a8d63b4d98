// Examples drawn at random with replacement, each as likely as any other: the order of online
// methods such as exponentiated gradient (000, section 2.3).
#pragma once

#include "polymargin/driver/linear/schedule.hpp"

namespace polymargin {

class RandomDrawsSchedule final : public Schedule {
 public:
  using Schedule::Schedule;

  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector&) override {
    round.resize(examples_.size());
    for (std::int32_t& drawn : round)
      drawn = examples_[random.below(std::uint32_t(examples_.size()))];
  }
};

}  // namespace polymargin
