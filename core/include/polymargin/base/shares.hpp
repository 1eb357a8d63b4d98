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
    wait_for(round);
  }
  void wait_for(std::int64_t round) const { done_.wait_for(round + 1); }

 private:
  std::atomic<std::int64_t> taken_{0};  // so many rounds
  Turn done_;
};

}  // namespace polymargin
