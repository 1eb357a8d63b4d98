// Schedules by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "polymargin/driver/linear/adaptive.hpp"
#include "polymargin/driver/linear/max_violation.hpp"
#include "polymargin/driver/linear/random_draws.hpp"
#include "polymargin/driver/linear/shrinking.hpp"

namespace polymargin {

// `epsilon` is what shrunk passes refine to; `shrinking` and `cooling` as in 000.
struct ScheduleOptions {
  std::string order;
  bool shrinking;
  bool cooling;
  double epsilon;

  bool shrinks_classes() const { return order == "acf" && shrinking; }
};

// `total` bounds the numbers of the examples.
inline std::unique_ptr<Schedule> make_schedule(const ScheduleOptions& options,
                                               std::vector<std::int32_t> examples,
                                               std::int64_t total) {
  if (options.order == "acf") return std::make_unique<AdaptiveSchedule>(std::move(examples), total);
  if (options.order == "max_violation")
    return std::make_unique<MaxViolationSchedule>(std::move(examples));
  if (options.order == "random") return std::make_unique<RandomDrawsSchedule>(std::move(examples));
  if (options.order == "cyclic") return std::make_unique<CyclicSchedule>(std::move(examples));
  if (options.shrinking)
    return std::make_unique<ShrinkingSchedule>(std::move(examples), options.epsilon,
                                               options.cooling);
  return std::make_unique<PermutedSchedule>(std::move(examples));
}

// `Driver` is Sequential.
template <class Driver>
void set_schedule(Driver& driver, const ScheduleOptions& options) {
  driver.set_schedule(make_schedule(options, driver.visited(), driver.rows().size()));
  driver.set_class_shrinking(options.shrinks_classes());
}

}  // namespace polymargin
