#include <chrono>

#include "check.hpp"
#include "polymargin/base/team.hpp"

namespace polymargin::test::test_team {

void run_tests() {
  for (int threads : {0, 1, 2, 5}) {
    Team team(threads);
    CHECK_EQUAL(team.size(), std::max(threads, 1));
    std::vector<long> calls(team.size());  // each thread has its own place
    for (int round = 1; round <= 2000; ++round) {
      team.run([&](int thread) { ++calls[thread]; });
      for (long c : calls) CHECK_EQUAL(c, round);
      // Long enough for the helpers to fall asleep.
      if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

}  // namespace polymargin::test::test_team
