// Threads over fixed chunks. The chunks do not depend on the number of threads, so sums taken chunk
// by chunk are the same on any machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "polymargin/base/start_threads.hpp"

namespace polymargin {

// Calls work(thread, chunk, begin, end) for every chunk of [0, size). The caller is thread 0; when
// nothing is left for it, it calls idle() now and then until the others are done.
template <class Work, class Idle>
void for_each_chunk(int threads, std::int64_t size, std::int64_t chunk_size, Work&& work,
                    Idle&& idle) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  const std::int64_t chunks = (size + chunk_size - 1) / chunk_size;
  threads = int(std::min<std::int64_t>(std::max(threads, 1), chunks));
  std::atomic<std::int64_t> next{0};
  const auto run = [&](int thread) {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++)
      work(thread, chunk, chunk * chunk_size, std::min(size, (chunk + 1) * chunk_size));
  };
  std::mutex mutex;
  std::condition_variable done;
  std::size_t finished = 0;
  std::vector<std::thread> helpers = start_threads(threads - 1, [&](int helper) {
    run(helper + 1);
    const std::lock_guard lock(mutex);
    ++finished;
    done.notify_one();
  });
  run(0);
  const auto all_finished = [&] { return finished == helpers.size(); };
  for (std::unique_lock lock(mutex); !done.wait_for(lock, kPause, all_finished);) {
    lock.unlock();
    idle();
    lock.lock();
  }
  for (auto& helper : helpers) helper.join();
}

template <class Work>
void for_each_chunk(int threads, std::int64_t size, std::int64_t chunk_size, Work&& work) {
  for_each_chunk(threads, size, chunk_size, work, [] {});
}

}  // namespace polymargin
