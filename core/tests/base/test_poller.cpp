#include <thread>

#include "check.hpp"
#include "polymargin/base/poller.hpp"

namespace polymargin::test::test_poller {

void wait_out() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

// Not at once, and not twice within a pause: asking may take the lock of an interpreter. A busy
// computer may be slow, so "not twice" is counted over one pause at least.
void check_pauses() {
  int asked = 0;
  const std::function<bool()> poll = [&] { return ++asked < 0; };
  const auto start = std::chrono::steady_clock::now();
  Poller poller(poll);
  for (int call = 0; call < 1000; ++call) CHECK(!poller.asks_to_stop());
  const auto passed = std::chrono::steady_clock::now() - start;
  CHECK_AT_MOST(asked, (long double)(passed / std::chrono::milliseconds(20)));
  wait_out();
  const int before = asked;
  CHECK(!poller.asks_to_stop());
  CHECK_EQUAL(asked, before + 1);
}

// The answer is passed on each time that the question is asked.
void check_answers() {
  bool answer = true;
  const std::function<bool()> poll = [&] { return answer; };
  Poller poller(poll);
  for (bool expected : {true, false, true}) {
    answer = expected;
    wait_out();
    CHECK_EQUAL(poller.asks_to_stop(), expected);
  }
}

void run_tests() {
  check_pauses();
  check_answers();
}

}  // namespace polymargin::test::test_poller
