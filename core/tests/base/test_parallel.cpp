#include <atomic>
#include <vector>

#include "check.hpp"
#include "polymargin/base/parallel.hpp"

namespace polymargin::test::test_parallel {

// The caller, done with its share, is not idle for long while another thread still works.
void check_idle() {
  std::atomic<bool> began = false, asked = false;
  for_each_chunk(
      2, 2, 1,
      [&](int thread, auto, auto, auto) {
        if (thread == 1) began = true;
        while (!(thread == 1 ? asked : began)) std::this_thread::yield();
      },
      [&] { asked = true; });
  CHECK(asked);
  for_each_chunk(1, 2, 1, [](auto...) {}, [] { CHECK(false); });
}

void run_tests() {
  check_idle();
  for (int threads : {0, 1, 2, 5})
    for (std::int64_t size : {0, 1, 9, 10, 11, 995}) {
      std::vector<std::atomic<int>> seen(size);
      std::atomic<int> wrong = 0;
      for_each_chunk(threads, size, 10, [&](int thread, auto chunk, auto begin, auto end) {
        wrong += thread < 0 || thread >= std::max(threads, 1);
        wrong += begin != 10 * chunk || end <= begin || end > begin + 10;
        for (auto i = begin; i < end; ++i) ++seen[i];
      });
      CHECK_EQUAL(wrong, 0);
      for (const auto& times : seen) CHECK_EQUAL(times, 1);
    }
}

}  // namespace polymargin::test::test_parallel
