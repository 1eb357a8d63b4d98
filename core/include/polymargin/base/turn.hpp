// A count that one thread raises and others wait for by spinning: for turns that are shorter than
// what it takes to wake a thread. It has cache lines of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace polymargin {

class alignas(128) Turn {
 public:
  void reach(std::int64_t count) { count_.store(count, std::memory_order_release); }

  void wait_for(std::int64_t count) const {
    for (int spins = 0; count_.load(std::memory_order_acquire) < count; ++spins)
      if (spins > kSpins) std::this_thread::yield();
  }

 private:
  static constexpr int kSpins = 4000;

  std::atomic<std::int64_t> count_{0};
};

}  // namespace polymargin
