// Threads over fixed chunks. The chunks do not depend on the number of threads, so sums taken chunk
// by chunk are the same on any machine.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace polymargin {

// Calls work(thread, chunk, begin, end) for every chunk of [0, size).
template <class Work>
void for_each_chunk(int threads, std::int64_t size, std::int64_t chunk_size, Work&& work) {
  const std::int64_t chunks = (size + chunk_size - 1) / chunk_size;
  threads = int(std::min<std::int64_t>(std::max(threads, 1), chunks));
  std::atomic<std::int64_t> next{0};
  const auto run = [&](int thread) {
    for (std::int64_t chunk = next++; chunk < chunks; chunk = next++)
      work(thread, chunk, chunk * chunk_size, std::min(size, (chunk + 1) * chunk_size));
  };
  std::vector<std::thread> helpers;
  for (int thread = 1; thread < threads; ++thread) helpers.emplace_back(run, thread);
  run(0);
  for (auto& helper : helpers) helper.join();
}

}  // namespace polymargin
