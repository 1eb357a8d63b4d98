// A few threads that wait for very short pieces of work, by spinning for some microseconds before
// they sleep: starting a thread, or even waking one, would cost more than the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "polymargin/base/start_threads.hpp"

namespace polymargin {

class Team {
 public:
  // The caller is one of the threads. There may be fewer than were asked for.
  explicit Team(int threads)
      : helpers_(start_threads(threads - 1, [this](int helper) { help(helper + 1); })) {}
  ~Team() {
    stopping_ = true;
    call_helpers();
    for (auto& helper : helpers_) helper.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return int(helpers_.size()) + 1; }

  // Calls work(thread) once on each thread and returns when all are done.
  void run(const std::function<void(int)>& work) {
    if (helpers_.empty()) return work(0);
    work_ = &work;
    busy_.store(int(helpers_.size()), std::memory_order_relaxed);
    call_helpers();
    work(0);
    for (int spins = 0; busy_.load(std::memory_order_acquire) != 0; ++spins)
      if (spins > kSpins) std::this_thread::yield();
  }

 private:
  static constexpr int kSpins = 4000;

  void call_helpers() {
    call_.fetch_add(1, std::memory_order_release);
    call_.notify_all();
  }

  void help(int thread) {
    for (std::uint32_t seen = 0;;) {
      for (int spins = 0; call_.load(std::memory_order_acquire) == seen; ++spins)
        if (spins > kSpins) call_.wait(seen, std::memory_order_acquire);
      ++seen;
      if (stopping_) return;
      (*work_)(thread);
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  // Each on a cache line of its own, because others wait for it.
  alignas(128) std::atomic<std::uint32_t> call_{0};
  alignas(128) std::atomic<int> busy_{0};
  alignas(128) std::atomic<bool> stopping_{false};
  const std::function<void(int)>* work_ = nullptr;
  std::vector<std::thread> helpers_;  // last: they use the others
};

}  // namespace polymargin
