// How often each kind of step is drawn.
#include "blocks.hpp"
#include "polymargin/driver/online/step_rates.hpp"

namespace polymargin::test::test_step_rates {

using Shares = std::array<double, kStepKinds>;

Shares draw_shares(StepRates& rates, Random& random, int draws) {
  Shares shares{};
  for (int n = 0; n < draws; ++n) shares[int(rates.draw(random))] += 1.0 / draws;
  return shares;
}

// Steps between two new examples are as many as asked, on average; gains do not matter.
void check_fixed() {
  for (const StepRates::Weights weights :
       {StepRates::Weights{1, 2, 4}, {1, 1.65, 5.34}, {1, 0, 8}, {1, 3, 0}}) {
    Random random(1);
    StepRates rates(weights, false);
    rates.learn(StepKind::optimize, 1e6, 1);
    const Shares shares = draw_shares(rates, random, 400000);
    for (int kind = 1; kind < kStepKinds; ++kind)
      CHECK_NEAR(shares[kind] / shares[0], weights[kind], 0.03L * weights[kind]);
  }
  Random random(1);
  StepRates none({1, 0, 0}, false);
  CHECK_NEAR(draw_shares(none, random, 1000)[0], 1, 1e-9L);
}

// A kind that has gained more for its cost is drawn more often, in proportion.
void check_proportions() {
  Random random(2);
  StepRates rates({1, 1, 1}, true);
  for (int n = 0; n < 1000; ++n) {
    rates.learn(StepKind::fresh, 3, 2);
    rates.learn(StepKind::old, 6, 1);
    rates.learn(StepKind::optimize, 5, 10);
  }
  const Shares shares = draw_shares(rates, random, 400000);
  CHECK_NEAR(shares[0], 1.5 / 8, 0.01);
  CHECK_NEAR(shares[1], 6.0 / 8, 0.01);
  CHECK_NEAR(shares[2], 0.5 / 8, 0.01);
}

// An average relaxes slowly: one step out of line does not count for much.
void check_relaxation() {
  StepRates rates({1, 1, 1}, true);
  rates.learn(StepKind::old, 0, 1);
  CHECK_NEAR(rates.weights()[1], 0.95, 1e-12L);
  rates.learn(StepKind::old, 2, 1);
  CHECK_NEAR(rates.weights()[1], 0.95 + 0.05 * (2 - 0.95), 1e-12L);
  CHECK_EQUAL(rates.weights()[0], 1);
  rates.learn(StepKind::fresh, 5, 0);  // without cost there is nothing to learn
  CHECK_EQUAL(rates.weights()[0], 1);
}

// No kind has less than a twentieth of the draws, whatever has been gained.
void check_least_share() {
  for (const StepRates::Weights weights :
       {StepRates::Weights{1, 0, 0}, {0, 1e-12, 1e9}, {1, 1, 0}, {0, 0, 0}, {1, 0.05, 0.05}}) {
    StepRates rates(weights, true);
    Random random(3);
    rates.draw(random);
    const auto& now = rates.weights();
    const double sum = now[0] + now[1] + now[2];
    for (double weight : now) CHECK(weight >= 0.05 * sum * (1 - 1e-12));
  }
  Source source(4);
  for (int trial = 0; trial < 10000; ++trial) {
    StepRates rates(
        {source.power_of_ten(-6, 0), source.power_of_ten(-6, 0), source.power_of_ten(-6, 0)}, true);
    Random random(trial);
    for (int n = 0; n < 5; ++n) {
      rates.draw(random);
      const auto& now = rates.weights();
      const double sum = now[0] + now[1] + now[2];
      for (double weight : now) CHECK(weight >= 0.05 * sum * (1 - 1e-12));
      rates.learn(StepKind(source.integer(0, 2)),
                  source.chance(0.5) ? 0 : source.power_of_ten(-6, 6), 1);
    }
  }
}

void run_tests() {
  check_fixed();
  check_proportions();
  check_relaxation();
  check_least_share();
}

}  // namespace polymargin::test::test_step_rates
