// Turns that are shorter than what it takes to wake a thread: threads wait by spinning, and none
// waits for another that has not begun. Counts have cache lines of their own.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace polymargin {

// A count that one thread raises.
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

// A share of the work of every round, to be done once: by the thread whose share it is, or by one
// that needs it and finds that nobody has begun, because the system lets other programs run.
class alignas(128) Share {
 public:
  template <class Work>
  void do_if_free(std::int64_t round, Work&& work) {
    std::int64_t expected = round;
    if (!taken_.compare_exchange_strong(expected, round + 1, std::memory_order_acq_rel)) return;
    work();
    done_.reach(round + 1);
  }

  // It is done afterwards.
  template <class Work>
  void do_or_wait(std::int64_t round, Work&& work) {
    do_if_free(round, work);
    done_.wait_for(round + 1);
  }

 private:
  std::atomic<std::int64_t> taken_{0};  // so many rounds
  Turn done_;
};

}  // namespace polymargin
