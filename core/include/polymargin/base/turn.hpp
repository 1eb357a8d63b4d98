// A count that one thread raises and others wait for: first by spinning, because turns are shorter
// than what it takes to wake a thread. It has cache lines of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace polymargin {

class alignas(128) Turn {
 public:
  std::int64_t count() const { return count_.load(std::memory_order_acquire); }

  void reach(std::int64_t count) { count_.store(count, std::memory_order_release); }
  // The same where others may be asleep.
  void reach_and_wake(std::int64_t count) {
    count_.store(count);
    count_.notify_all();
  }

  // For a thread that is at work.
  void wait_for(std::int64_t least) const {
    for (int spins = 0; count() < least; ++spins)
      if (spins > kSpins) std::this_thread::yield();
  }
  // For one that may have nothing to do for long. Returns the count.
  std::int64_t sleep_until(std::int64_t least) const {
    std::int64_t now = count();
    for (int spins = 0; now < least; now = count())
      if (++spins > kSpins) count_.wait(now);
    return now;
  }

 private:
  static constexpr int kSpins = 4000;

  std::atomic<std::int64_t> count_{0};
};

}  // namespace polymargin
