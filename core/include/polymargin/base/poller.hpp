// Asks a question of the outside world (a signal? out of time?) about fifty times a second.
#pragma once

#include <chrono>
#include <functional>

namespace polymargin {

class Poller {
 public:
  explicit Poller(const std::function<bool()>& poll) : poll_(poll) {}

  bool asks_to_stop() {
    if (Clock::now() < next_) return false;
    const bool stop = poll_();
    next_ = Clock::now() + kPause;
    return stop;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kPause = std::chrono::milliseconds(20);

  const std::function<bool()>& poll_;
  Clock::time_point next_ = Clock::now() + kPause;
};

}  // namespace polymargin
