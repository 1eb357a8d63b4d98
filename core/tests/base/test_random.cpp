#include <algorithm>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "polymargin/base/random.hpp"

namespace polymargin::test::test_random {

// The published generator: these numbers follow from xoshiro256** seeded with splitmix64(0).
void check_reference() {
  Random random(0);
  for (std::uint64_t expected :
       {0x99ec5f36cb75f2b4u, 0xbf6e1f784956452au, 0x1a5f849d4933e6e0u, 0x6aa594f1262d2d2cu})
    CHECK(random.next() == expected);
}

void check_seeds() {
  Random a(7), b(7), c(8);
  int same = 0;
  for (int draw = 0; draw < 100; ++draw) {
    const auto value = a.next();
    CHECK(value == b.next());
    same += value == c.next();
  }
  CHECK_EQUAL(same, 0);
}

void check_below() {
  Random random(1);
  std::vector<int> count(10);
  const int draws = 100000;
  for (int draw = 0; draw < draws; ++draw) {
    const auto value = random.below(10);
    CHECK(value < 10);
    ++count[std::min(value, 9u)];
  }
  // Five standard deviations of a binomial count.
  for (int c : count) CHECK_NEAR(c, draws / 10, 5 * std::sqrt(draws * 0.09));
  for (int draw = 0; draw < 10; ++draw) CHECK_EQUAL(random.below(1), 0u);
}

void check_shuffle() {
  Random random(2);
  const int size = 5, rounds = 60000;
  std::vector<std::vector<int>> where(size, std::vector<int>(size));
  for (int round = 0; round < rounds; ++round) {
    std::vector<int> items(size);
    std::iota(items.begin(), items.end(), 0);
    random.shuffle(std::span(items));
    for (int position = 0; position < size; ++position) ++where[items[position]][position];
    std::sort(items.begin(), items.end());
    for (int i = 0; i < size; ++i) CHECK_EQUAL(items[i], i);
  }
  for (const auto& counts : where)
    for (int c : counts) CHECK_NEAR(c, rounds / size, 5 * std::sqrt(rounds * 0.16));
  std::vector<int> none;
  random.shuffle(std::span(none));
  CHECK(none.empty());
}

void run_tests() {
  check_reference();
  check_seeds();
  check_below();
  check_shuffle();
}

}  // namespace polymargin::test::test_random
