// Schedules by name.
#pragma once

#include <memory>
#include <string>

#include "polymargin/driver/adaptive.hpp"
#include "polymargin/driver/max_violation.hpp"
#include "polymargin/driver/random_draws.hpp"
#include "polymargin/driver/sequential.hpp"
#include "polymargin/driver/shrinking.hpp"

namespace polymargin {

// `epsilon` is what shrunk passes refine to; `shrinking` and `cooling` as in 000.
struct ScheduleOptions {
  std::string order;
  bool shrinking;
  bool cooling;
  double epsilon;
};

template <class Real, class W>
void set_schedule(Sequential<Real, W>& driver, const ScheduleOptions& options) {
  std::vector<std::int32_t> examples = driver.visited();
  std::unique_ptr<Schedule> schedule;
  if (options.order == "acf")
    schedule = std::make_unique<AdaptiveSchedule>(std::move(examples), driver.rows().size());
  else if (options.order == "max_violation")
    schedule = std::make_unique<MaxViolationSchedule>(std::move(examples));
  else if (options.order == "random")
    schedule = std::make_unique<RandomDrawsSchedule>(std::move(examples));
  else if (options.shrinking)
    schedule =
        std::make_unique<ShrinkingSchedule>(std::move(examples), options.epsilon, options.cooling);
  else
    schedule = std::make_unique<PermutedSchedule>(std::move(examples));
  driver.set_schedule(std::move(schedule));
  driver.set_class_shrinking(options.order == "acf" && options.shrinking);
}

}  // namespace polymargin
