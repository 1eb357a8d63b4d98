// Work that threads share in rounds too short to wait for a thread that has not begun.
#pragma once

#include <atomic>
#include <cstdint>

#include "polymargin/base/turn.hpp"

namespace polymargin {

// A share of the work of every round, to be done once: by the thread whose share it is, or by one
// that needs it and finds that nobody has begun, because the system lets other programs run.
class alignas(128) Share {
 public:
  // Whether it is the caller who is to do it, and then to say so.
  bool take(std::int64_t round) {
    std::int64_t expected = round;
    // Looks before it writes, which would take the line away from the other thread.
    return taken_.load(std::memory_order_relaxed) == round &&
           taken_.compare_exchange_strong(expected, round + 1, std::memory_order_acq_rel);
  }
  void finish(std::int64_t round) { done_.reach(round + 1); }

  // It is done afterwards.
  template <class Work>
  void do_or_wait(std::int64_t round, Work&& work) {
    if (take(round)) {
      work();
      finish(round);
    } else {
      done_.wait_for(round + 1);
    }
  }

 private:
  std::atomic<std::int64_t> taken_{0};  // so many rounds
  Turn done_;
};

}  // namespace polymargin
