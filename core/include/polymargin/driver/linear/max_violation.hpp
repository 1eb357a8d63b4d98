// Crammer and Singer's own order (000, section 2.2): always the example that violates its
// optimality conditions most (000, eq. (6)). Every choice scores all examples against the current
// weights, so a visit costs a pass over the data. With a kernel the scores of all examples are
// there anyway and the order is a good one; for linear machines it is here for comparison.
#pragma once

#include "polymargin/driver/linear/schedule.hpp"

namespace polymargin {

class MaxViolationSchedule final : public Schedule {
 public:
  using Schedule::Schedule;

  // A round of one example. If the last one could not be improved, looking for it again would find
  // it again: then a round of all examples follows, which moves something or shows that nothing
  // moves.
  void next_round(std::vector<std::int32_t>& round, Random&, Inspector& inspector) override {
    if (!gained_) {
      round = examples_;
      return;
    }
    gained_ = false;
    round.clear();
    std::int32_t worst = examples_.front();
    double largest = -1;
    int looks = 0;
    for (std::int32_t i : examples_) {
      if (++looks % kLooksPerPoll == 0 && inspector.asks_to_stop()) {
        gained_ = true;  // nothing was tried: the search begins again
        return;
      }
      const double violation = inspector.violation(i);
      if (violation > largest) {
        largest = violation;
        worst = i;
      }
    }
    round.push_back(worst);
  }

  void report(std::int32_t, double, double gain) override { gained_ |= gain > 0; }

 private:
  static constexpr int kLooksPerPoll = 64;

  bool gained_ = true;  // since the last search
};

}  // namespace polymargin
