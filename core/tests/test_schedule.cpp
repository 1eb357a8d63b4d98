#include <algorithm>

#include "check.hpp"
#include "polymargin/driver/schedule.hpp"
#include "polymargin/driver/shrinking.hpp"

namespace polymargin::test {

using Round = std::vector<std::int32_t>;

Round numbers(int size) {
  Round examples(size);
  for (int i = 0; i < size; ++i) examples[i] = 3 * i;  // not their positions
  return examples;
}

bool same_members(Round a, Round b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

bool never(std::int32_t) { return false; }

void check_permuted() {
  const Round examples = numbers(100);
  PermutedSchedule schedule(examples), twin(examples);
  Random random(1), same(1);
  Round round, before, other;
  for (int r = 0; r < 5; ++r) {
    schedule.next_round(round, random, never);
    twin.next_round(other, same, never);
    CHECK(same_members(round, examples));
    CHECK(round != before);
    CHECK(round == other);
    CHECK(!schedule.support_only());
    before = round;
  }
}

// Plays rounds in which every visit reports the same violation.
class Player {
 public:
  Player(int size, double final_epsilon, bool cooling)
      : schedule_(numbers(size), final_epsilon, cooling) {}

  // Returns whether the round was over the unsettled examples only.
  bool play(double violation, bool (*settled)(std::int32_t) = never) {
    schedule_.next_round(round, random_, settled);
    for (std::int32_t i : round) schedule_.report(i, violation, 0);
    return schedule_.support_only();
  }

  Round round;

 private:
  ShrinkingSchedule schedule_;
  Random random_{1};
};

void check_shrunk_members() {
  const auto is_even = [](std::int32_t i) { return i % 2 == 0; };
  Player player(10, 1e-3, false);
  CHECK(!player.play(1, is_even));
  CHECK(same_members(player.round, numbers(10)));
  CHECK(player.play(1, is_even));
  CHECK(same_members(player.round, {3, 9, 15, 21, 27}));
}

void check_back_to_all_when_optimal() {
  Player player(10, 1e-3, false);
  CHECK(!player.play(1));
  CHECK(player.play(0.1));
  CHECK(player.play(1e-4));   // optimal on what is left
  CHECK(!player.play(1e-4));  // so a full round follows
  CHECK(player.play(1));      // and after it always a shrunk one
}

void check_budget() {
  Player player(10, 1e-3, false);
  CHECK(!player.play(1));
  // Never optimal: shrunk rounds go on until they cost more than five full ones.
  for (int r = 0; r < 6; ++r) CHECK(player.play(1));
  CHECK(!player.play(1));
  CHECK(player.play(1));
}

void check_all_settled() {
  Player player(10, 1e-3, false);
  CHECK(!player.play(1));
  CHECK(!player.play(1, [](std::int32_t) { return true; }));
  CHECK(same_members(player.round, numbers(10)));
}

// While epsilon is 1, shrunk rounds with violations of 0.5 count as optimal; after a full round
// below 1 it is 0.1, and they no longer do.
void check_cooling() {
  Player player(10, 1e-3, true);
  CHECK(!player.play(5));
  CHECK(player.play(0.5));
  CHECK(!player.play(5));
  CHECK(player.play(0.5));
  CHECK(!player.play(0.5));
  CHECK(player.play(0.5));
  CHECK(player.play(0.5));
  CHECK(player.play(0.05));
  CHECK(!player.play(0.05));
  // 0.01 and then 0.001, where it stays.
  CHECK(player.play(0.05));
  CHECK(player.play(0.005));
  CHECK(!player.play(1e-4));
  CHECK(player.play(0.005));
  CHECK(player.play(0.0005));
  CHECK(!player.play(1e-9));
  CHECK(player.play(0.0005));
  CHECK(!player.play(1));
}

void run_tests() {
  check_permuted();
  check_shrunk_members();
  check_back_to_all_when_optimal();
  check_budget();
  check_all_settled();
  check_cooling();
}

}  // namespace polymargin::test
