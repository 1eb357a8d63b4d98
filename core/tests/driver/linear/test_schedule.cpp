#include <algorithm>

#include "check.hpp"
#include "polymargin/driver/linear/adaptive.hpp"
#include "polymargin/driver/linear/max_violation.hpp"
#include "polymargin/driver/linear/random_draws.hpp"
#include "polymargin/driver/linear/schedule.hpp"
#include "polymargin/driver/linear/shrinking.hpp"

namespace polymargin::test::test_schedule {

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

// Answers as it is told to.
class Oracle final : public Inspector {
 public:
  bool settled(std::int32_t i) override { return is_settled(i); }
  double violation(std::int32_t i) override {
    ++looks;
    return violations[i];
  }
  bool asks_to_stop() override { return looks >= most_looks; }

  bool (*is_settled)(std::int32_t) = never;
  std::vector<double> violations;
  int looks = 0, most_looks = 1 << 30;
};

void check_permuted() {
  const Round examples = numbers(100);
  PermutedSchedule schedule(examples), twin(examples);
  Random random(1), same(1);
  Oracle oracle;
  Round round, before, other;
  for (int r = 0; r < 5; ++r) {
    schedule.next_round(round, random, oracle);
    twin.next_round(other, same, oracle);
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
  Player(int size, double final_epsilon, bool cooling, int evaluated = kClasses)
      : schedule_(numbers(size), final_epsilon, cooling), evaluated_(evaluated) {}

  // Returns whether the round was over the unsettled examples only.
  bool play(double violation, bool (*settled)(std::int32_t) = never) {
    oracle_.is_settled = settled;
    schedule_.next_round(round, random_, oracle_);
    for (std::int32_t i : round) {
      schedule_.report(i, violation, 0);
      schedule_.count_evaluations(schedule_.support_only() ? evaluated_ : kClasses, kClasses);
    }
    return schedule_.support_only();
  }

  Round round;

 private:
  static constexpr int kClasses = 8;

  ShrinkingSchedule schedule_;
  int evaluated_;  // classes, by visits of shrunk rounds
  Oracle oracle_;
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
  // A quarter of the classes: four times as many rounds.
  Player thrifty(10, 1e-3, false, 2);
  CHECK(!thrifty.play(1));
  for (int r = 0; r < 21; ++r) CHECK(thrifty.play(1));
  CHECK(!thrifty.play(1));
}

// The same order in every round, another one from another seed.
void check_cyclic() {
  const Round examples = numbers(100);
  CyclicSchedule schedule(examples), other(examples);
  Random random(1), another(2);
  Oracle oracle;
  Round first, round;
  schedule.next_round(first, random, oracle);
  CHECK(same_members(first, examples));
  CHECK(first != examples);
  for (int r = 0; r < 3; ++r) {
    schedule.next_round(round, random, oracle);
    CHECK(round == first);
  }
  other.next_round(round, another, oracle);
  CHECK(round != first);
}

void check_all_settled() {
  Player player(10, 1e-3, false);
  CHECK(!player.play(1));
  CHECK(!player.play(1, [](std::int32_t) { return true; }));
  CHECK(same_members(player.round, numbers(10)));
}

// Asked for, a round of all examples looks at all classes.
void check_all_on_request() {
  ShrinkingSchedule schedule(numbers(10), 1e-3, false);
  Random random(1);
  Oracle oracle;
  oracle.is_settled = [](std::int32_t i) { return i % 2 == 0; };
  Round round;
  for (bool shrunk : {false, true}) {
    schedule.next_round(round, random, oracle);
    schedule.report(round.front(), 1, 1);
    CHECK_EQUAL(schedule.support_only(), shrunk);
  }
  CHECK_EQUAL(round.size(), 5u);
  schedule.all_permuted(round, random);
  CHECK(!schedule.support_only());
  CHECK(same_members(round, numbers(10)));
}

// What was idle begins with all examples again; what gained goes on where it was.
void check_recall() {
  const Round examples{0, 1, 2, 3};
  for (bool gained : {false, true}) {
    AdaptiveSchedule first(examples, 4), second(examples, 4);
    Random random(1);
    Oracle oracle;
    Round round;
    for (int r = 0; r < 6; ++r) {
      first.next_round(round, random, oracle);
      for (std::int32_t i : round) first.report(i, 1, i == 0 && (gained || r < 5) ? 1 : 0);
    }
    second.recall(first.memory());
    second.next_round(round, random, oracle);
    CHECK_EQUAL(same_members(round, examples), !gained);
  }
}

// Visits that were planned and not made are owed: in the long run every example gets its share,
// however early rounds are broken off.
void check_take_back() {
  const Round examples{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<float> memory;
  std::vector<int> visits(8);
  Random random(1);
  Oracle oracle;
  for (int r = 0; r < 800; ++r) {
    AdaptiveSchedule schedule(examples, 8);
    if (r > 0) schedule.recall(memory);
    Round round;
    schedule.next_round(round, random, oracle);
    const std::size_t made = r == 0 ? round.size() : std::min<std::size_t>(round.size(), 3);
    for (std::size_t p = 0; p < made; ++p) {
      ++visits[round[p]];
      schedule.report(round[p], 1, round[p] < 2 ? 1 : 0);  // the others are seldom visited
    }
    schedule.take_back(std::span(round).subspan(made));
    memory = schedule.memory();
  }
  for (int i = 0; i < 8; ++i) CHECK(visits[i] > 10);
  CHECK(visits[0] > 5 * visits[7]);
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

// As many draws as examples, of examples only; in the long run each as often as any other.
void check_random_draws() {
  const Round examples = numbers(50);
  RandomDrawsSchedule schedule(examples), twin(examples);
  Random random(1), same(1);
  Oracle oracle;
  Round round, other;
  std::vector<int> drawn(3 * 50);
  constexpr int kRounds = 400;
  bool repeated = false;
  for (int r = 0; r < kRounds; ++r) {
    schedule.next_round(round, random, oracle);
    twin.next_round(other, same, oracle);
    CHECK(round == other);
    CHECK_EQUAL(round.size(), examples.size());
    for (std::int32_t i : round) ++drawn[i];
    repeated |= !same_members(round, examples);
  }
  CHECK(repeated);
  int total = 0;
  for (std::int32_t i : examples) {
    CHECK_NEAR(drawn[i], kRounds, 120);  // six standard deviations
    total += drawn[i];
  }
  CHECK_EQUAL(total, 50 * kRounds);
}

void check_largest_violation() {
  const Round examples = numbers(50);
  MaxViolationSchedule schedule(examples);
  Random random(1);
  Oracle oracle;
  Round round;
  for (int r = 0; r < 200; ++r) {
    oracle.violations.assign(3 * 50, 1e9);  // of what is no example
    for (std::int32_t i : examples) oracle.violations[i] = double(random.below(30));
    schedule.next_round(round, random, oracle);
    CHECK_EQUAL(round.size(), 1u);
    CHECK_EQUAL(oracle.looks, 50 * (r + 1));
    double largest = 0;
    for (std::int32_t i : examples) largest = std::max(largest, oracle.violations[i]);
    CHECK_EQUAL(oracle.violations[round[0]], largest);
    schedule.report(round[0], largest, 0.1);
  }
}

// An example that cannot be improved is not looked for again: everybody gets a visit, again and
// again until one gains.
void check_no_gain() {
  const Round examples = numbers(50);
  MaxViolationSchedule schedule(examples);
  Random random(1);
  Oracle oracle;
  oracle.violations.assign(3 * 50, 1);
  Round round;
  schedule.next_round(round, random, oracle);
  schedule.report(round[0], 1, 0);
  for (int r = 0; r < 3; ++r) {
    schedule.next_round(round, random, oracle);
    CHECK(round == examples);
    for (std::int32_t i : round) schedule.report(i, 1, r == 2 && i == 21 ? 0.1 : 0);
  }
  CHECK_EQUAL(oracle.looks, 50);
  schedule.next_round(round, random, oracle);
  CHECK_EQUAL(round.size(), 1u);
  CHECK_EQUAL(oracle.looks, 100);
}

// A search that is stopped chooses nobody, and is begun again by the next call.
void check_stopped_search() {
  const Round examples = numbers(500);
  MaxViolationSchedule schedule(examples);
  Random random(1);
  Oracle oracle;
  oracle.violations.assign(3 * 500, 1);
  oracle.violations[1200] = 2;
  oracle.most_looks = 100;
  Round round{1, 2};
  schedule.next_round(round, random, oracle);
  CHECK(round.empty());
  CHECK(oracle.looks < 100 + 64);
  oracle.most_looks = 1 << 30;
  schedule.next_round(round, random, oracle);
  CHECK(round == Round{1200});
}

void run_tests() {
  check_random_draws();
  check_largest_violation();
  check_no_gain();
  check_stopped_search();
  check_permuted();
  check_shrunk_members();
  check_back_to_all_when_optimal();
  check_budget();
  check_cyclic();
  check_all_settled();
  check_all_on_request();
  check_recall();
  check_take_back();
  check_cooling();
}

}  // namespace polymargin::test::test_schedule
