#include <atomic>
#include <chrono>
#include <vector>

#include "check.hpp"
#include "polymargin/base/shares.hpp"
#include "polymargin/base/team.hpp"

namespace polymargin::test::test_shares {

// Every share of every round is done once, whoever comes first; nobody goes on before all are done.
void check_rounds(int threads, int rounds) {
  Team team(threads);
  std::vector<Share> shares(threads);
  std::vector<std::atomic<int>> done(threads);
  std::atomic<int> wrong = 0;
  Turn begun;
  team.run([&](int thread) {
    for (int round = 0; round < rounds; ++round) {
      if (thread == 0) {
        begun.reach(round + 1);
        for (int share = 0; share < threads; ++share) {
          shares[share].do_or_wait(round, [&] { ++done[share]; });
          wrong += done[share] != round + 1;
        }
      } else {
        begun.wait_for(round + 1);
        // Sometimes late: then the first thread does it.
        if (round % 100 == 50) std::this_thread::sleep_for(std::chrono::microseconds(100));
        if (!shares[thread].take(round)) continue;
        ++done[thread];
        shares[thread].finish(round);
      }
    }
  });
  CHECK_EQUAL(wrong, 0);
  for (const auto& count : done) CHECK_EQUAL(count, rounds);
}

void run_tests() {
  for (int threads : {1, 2, 3, 8}) check_rounds(threads, 1000);
}

}  // namespace polymargin::test::test_shares
