// The round that a schedule has handed out last, and how far its visits are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polymargin/driver/linear/schedule.hpp"

namespace polymargin {

class Rounds {
 public:
  explicit Rounds(std::uint64_t seed) : random_(seed) {}

  void set_schedule(std::unique_ptr<Schedule> schedule) { schedule_ = std::move(schedule); }
  Schedule& schedule() { return *schedule_; }

  // The visits of this round that are left, in order.
  std::span<const std::int32_t> left() const { return std::span(round_).subspan(position_); }
  void advance(std::size_t visits) { position_ += visits; }

  void begin(Inspector& inspector) {
    schedule_->next_round(round_, random_, inspector);
    position_ = 0;
  }
  // A round of all examples.
  void begin_with_all() {
    schedule_->all_permuted(round_, random_);
    position_ = 0;
  }

  // What the schedule has learned, for a later one of the same rows to go on from. The visits that
  // are left of this round are owed then.
  std::vector<float> memory() {
    schedule_->take_back(left());
    round_.clear();
    position_ = 0;
    return schedule_->memory();
  }

 private:
  Random random_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<std::int32_t> round_;
  std::size_t position_ = 0;
};

}  // namespace polymargin
