// The step between two variables of an example, against a search along it.
#include "blocks.hpp"
#include "polymargin/restricted/pair.hpp"

namespace polymargin::test::test_pair {

Wide gain_of(Wide length, double difference, double curvature) {
  return length * (difference - curvature * length);
}

// The best of many lengths, and of lengths close to the best of these.
Wide best_gain_by_force(double difference, double curvature, double room) {
  Wide low = 0, high = room, best = 0;
  for (int pass = 0; pass < 12; ++pass) {
    constexpr int kPieces = 50;
    const Wide piece = (high - low) / kPieces;
    Wide at = low;
    for (int p = 0; p <= kPieces; ++p) {
      const Wide length = std::min<Wide>(low + p * piece, room);
      if (gain_of(length, difference, curvature) > gain_of(at, difference, curvature)) at = length;
    }
    best = std::max(best, gain_of(at, difference, curvature));
    low = std::max<Wide>(at - piece, 0);
    high = std::min<Wide>(at + piece, room);
  }
  return best;
}

void check_random_steps() {
  Source source(0);
  int clipped = 0, inside = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const double difference = source.power_of_ten(-6, 3);
    // Kernels that are not definite may have negative values on their diagonal.
    const double curvature = source.chance(0.1) ? 0 : source.power_of_ten(-4, 4);
    const double sign = source.chance(0.1) ? -1 : 1;
    const double room = source.power_of_ten(-6, 3);
    const PairStep step = pair_step(difference, sign * curvature, room);
    const Wide expected = best_gain_by_force(difference, sign * curvature, room);
    CHECK(step.length > 0 && step.length <= room);
    CHECK_NEAR(step.gain, expected, 1e-12L * expected);
    CHECK_NEAR(step.gain, gain_of(step.length, difference, sign * curvature), 1e-12L * expected);
    CHECK_EQUAL(step.clipped, step.length == room);
    ++(step.clipped ? clipped : inside);
  }
  CHECK(clipped > 2000 && inside > 2000);
}

// Where nothing can be gained there is no step, and nothing is said to be clipped.
void check_no_steps() {
  for (const PairStep step : {pair_step(0, 1, 1), pair_step(-1, 1, 1), pair_step(1, 1, 0),
                              pair_step(1, 1, -1e-17), pair_step(std::nan(""), 1, 1)}) {
    CHECK_EQUAL(step.length, 0);
    CHECK_EQUAL(step.gain, 0);
    CHECK(!step.clipped);
  }
}

void run_tests() {
  check_random_steps();
  check_no_steps();
}

}  // namespace polymargin::test::test_pair
