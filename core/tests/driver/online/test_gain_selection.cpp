// GaLa's choice of the next pattern, against all choices that its rules allow.
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "axes.hpp"
#include "blocks.hpp"
#include "polymargin/driver/online/gain_selection.hpp"

namespace polymargin::test::test_gain_selection {

constexpr double kViolation = 0.05;

ExchangeMachine exchanges(bool bounds_sum, int classes) {
  return ExchangeMachine(axes_of(bounds_sum ? "cs" : "ww", "hinge", classes));
}

// Variables that hold (3) and (4) of 001, or are between the bounds of ww, many of them at their
// bounds, and any gradients.
Patterns random_patterns(Source& source, bool bounds_sum, int classes, int places) {
  Patterns patterns(classes, exchanges(bounds_sum, classes));
  patterns.grow(places);
  for (std::int32_t place = 0; place < places; ++place) {
    if (source.chance(0.2)) continue;
    const std::int32_t label = source.integer(0, classes - 1);
    const double curvature = source.chance(0.1) ? 0 : source.power_of_ten(-1, 1);
    double sum = 0, lowest = 0;
    patterns.insert(place);
    for (std::int32_t c = 0; c < classes; ++c) {
      if (c == label || source.chance(0.4)) continue;
      const double beta = -source.power_of_ten(-2, 0);
      patterns.support().add(place, c, beta, source.bell());
      sum -= beta;
      lowest = std::min(lowest, beta);
    }
    patterns.support().add(place, label, sum, source.bell());
    const double bound = bounds_sum ? sum : -lowest;
    patterns.at(place) = {label, source.chance(0.3) ? bound : 2 * bound, curvature};
  }
  return patterns;
}

struct Look {
  Candidate pair;
  bool removes = false;
  double gain = 0;
};

// A pattern and two classes, of which the one with the higher gradient is to grow.
std::optional<Look> look_at(const Patterns& patterns, bool bounds_sum, std::int32_t place,
                            std::int32_t a, std::int32_t b) {
  std::map<std::int32_t, std::pair<double, double>> variables;
  for (const auto entry : patterns.support().entries(place))
    variables[entry.label] = {patterns.support().coefficient(entry),
                              patterns.support().gradient(entry)};
  if (variables[a].second < variables[b].second) std::swap(a, b);
  const double difference = variables[a].second - variables[b].second;
  const Pattern& pattern = patterns.at(place);
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  const double upper = a != pattern.label ? 0 : bounds_sum ? pattern.loss_weight : kUnbounded;
  const double rise = upper - variables[a].first;
  const double fall =
      bounds_sum || b == pattern.label ? kUnbounded : variables[b].first + pattern.loss_weight;
  const double room = std::min(rise, fall);
  if (difference <= kViolation || room <= 0) return {};
  const bool clipped = pattern.curvature * room * 2 <= difference;
  const double length = clipped ? room : difference / pattern.curvature / 2;
  return Look{{place, a, b},
              clipped && rise <= fall && a != pattern.label,
              length * difference - pattern.curvature * length * length};
}

std::vector<std::int32_t> places_of(const Patterns& patterns, std::int32_t a, std::int32_t b) {
  std::vector<std::int32_t> found;
  for (std::int32_t place = 0; place < patterns.places(); ++place)
    if (patterns.support().find(place, a) && patterns.support().find(place, b))
      found.push_back(place);
  return found;
}

using Choice = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int64_t>;  // and looks

// What may come out for a third class: one result for every pair of starting positions.
std::set<Choice> choices(const Patterns& patterns, bool bounds_sum, std::int32_t first,
                         std::int32_t second, std::int32_t third, int hits) {
  const std::vector<std::int32_t> lists[] = {places_of(patterns, first, third),
                                             places_of(patterns, second, third)};
  const std::int32_t changed[] = {first, second};
  const int allowed[] = {(hits + 1) / 2, hits / 2};
  std::set<Choice> all;
  for (std::size_t start = 0; start < std::max<std::size_t>(lists[0].size(), 1); ++start)
    for (std::size_t other = 0; other < std::max<std::size_t>(lists[1].size(), 1); ++other) {
      std::optional<Look> best;
      std::int64_t looks = 0;
      for (int side = 0; side < 2; ++side) {
        const auto& list = lists[side];
        const std::size_t count = std::min<std::size_t>(allowed[side], list.size());
        for (std::size_t n = 0; n < count; ++n, ++looks) {
          const std::int32_t place = list[((side ? other : start) + n) % list.size()];
          const auto look = look_at(patterns, bounds_sum, place, changed[side], third);
          if (!look) continue;
          if (!best || std::pair(look->removes, look->gain) > std::pair(best->removes, best->gain))
            best = look;
        }
      }
      const Candidate pair = best ? best->pair : Candidate{};
      all.insert({pair.place, pair.up, pair.down, looks});
    }
  return all;
}

void check_random_choices(bool bounds_sum, unsigned seed) {
  Source source(seed);
  const int classes = source.integer(3, 6), hits = source.chance(0.3) ? 1000 : source.integer(1, 6);
  const Patterns patterns = random_patterns(source, bounds_sum, classes, source.integer(1, 12));
  const std::int32_t first = source.integer(0, classes - 1);
  const std::int32_t second = (first + source.integer(1, classes - 1)) % classes;
  std::set<Choice> possible, found;
  for (std::int32_t third = 0; third < classes; ++third)
    if (third != first && third != second)
      possible.merge(choices(patterns, bounds_sum, first, second, third, hits));
  GainSelection selection(hits, kViolation);
  Random random(seed);
  for (int draw = 0; draw < 4000; ++draw) {
    const Candidate pair = selection.select(patterns, first, second, random);
    CHECK_EQUAL(bool(pair), pair.up >= 0);
    found.insert({pair.place, pair.up, pair.down, selection.looks()});
  }
  CHECK(std::includes(possible.begin(), possible.end(), found.begin(), found.end()));
  CHECK_EQUAL(found.size(), possible.size());  // every one comes up, sooner or later
}

// All third classes come up alike, and two classes have none.
void check_third_class() {
  Source source(1);
  Patterns patterns(5, exchanges(true, 5));
  patterns.grow(1);
  patterns.insert(0);
  patterns.at(0) = {1, 10, 1};
  for (std::int32_t c = 0; c < 5; ++c) patterns.support().add(0, c, c == 1 ? 4 : -1, double(c));
  GainSelection selection(10, kViolation);
  Random random(1);
  std::map<std::int32_t, int> drawn;
  for (int draw = 0; draw < 30000; ++draw) {
    const Candidate pair = selection.select(patterns, 3, 1, random);
    ++drawn[pair.up == 3 || pair.up == 1 ? pair.down : pair.up];
  }
  CHECK_EQUAL(drawn.size(), std::size_t(3));
  for (const auto& [third, count] : drawn) CHECK_NEAR(count, 10000, 400);
  Patterns two(2, exchanges(true, 2));
  two.grow(1);
  two.insert(0);
  two.support().add(0, 0, 1, 1);
  two.support().add(0, 1, -1, 0);
  CHECK(!selection.select(two, 0, 1, random));
  CHECK_EQUAL(selection.looks(), 0);
}

void run_tests() {
  for (unsigned seed = 0; seed < 200; ++seed)
    for (const bool bounds_sum : {true, false}) check_random_choices(bounds_sum, seed);
  check_third_class();
}

}  // namespace polymargin::test::test_gain_selection
