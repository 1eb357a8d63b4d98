// Learning online, with any settings, against sums over all that has come to stay.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "axes.hpp"
#include "blocks.hpp"
#include "polymargin/driver/online/online.hpp"

namespace polymargin::test::test_online {

constexpr std::int64_t kNoBudget = std::numeric_limits<std::int64_t>::max();

// One of the machines that have exchanges.
struct Learned {
  const char *name = "cs", *loss = "hinge";
  bool bounds_sum() const { return name == std::string_view("cs"); }
  bool squared() const { return loss == std::string_view("squared_hinge"); }
  ExchangeMachine machine(int classes) const {
    return ExchangeMachine(axes_of(name, loss, classes));
  }
};

struct Point {
  double x = 0, y = 0;
};

// A stream of points, and the machine that learns from it.
template <class Real>
struct Stream {
  Stream(Source& random, const Learned& learned, int classes, const OnlineSettings& settings,
         const StepRates& rates, std::int64_t cache_bytes)
      : source(random),
        learned(learned),
        classes(classes),
        linear(random.chance(0.3)),
        online(classes, learned.machine(classes), settings, rates, cache_bytes,
               std::uint64_t(random.integer(0, 1000)),
               [this](auto some, std::int64_t width, Real* values) {
                 if (failing && source.chance(0.05)) throw std::runtime_error("from a kernel");
                 for (std::int32_t i : some)
                   for (std::int64_t j = 0; j < width; ++j) *values++ = kernel(i, std::int32_t(j));
               }) {}

  Real kernel(std::int32_t i, std::int32_t j) const {
    const Point &a = at[i], &b = at[j];
    if (linear) return Real(a.x * b.x + a.y * b.y);
    return Real(std::exp(-0.5 * ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y))));
  }

  // Points around a centre of their class; some are zero, some come twice with any labels.
  std::int64_t feed(int count, const std::function<bool()>& poll) {
    const std::int64_t needed = std::int64_t(online.patterns().list().size()) + count;
    if (needed >= std::int64_t(at.size())) {
      at.resize(needed + source.integer(1, 5));
      online.grow(std::int64_t(at.size()));
    }
    const std::vector<std::int32_t> places = online.patterns().free(count);
    std::vector<std::int32_t> labels;
    std::vector<double> loss_weights;
    for (std::int32_t place : places) {
      const int label = source.integer(0, classes - 1);
      labels.push_back(label);
      loss_weights.push_back(source.chance(0.1) ? 0 : source.power_of_ten(-1, 1));
      const double angle = 6.28 * label / classes;
      Point point{std::cos(angle) + source.bell() / 2, std::sin(angle) + source.bell() / 2};
      if (source.chance(0.1)) point = {};
      if (source.chance(0.2)) point = at[source.integer(0, int(at.size()) - 1)];
      at[place] = point;
    }
    const std::int64_t width = std::max<std::int64_t>(places.back() + 1, online.rows().width());
    std::vector<Real> values;
    for (std::int32_t i : places)
      for (std::int64_t j = 0; j < width; ++j) values.push_back(kernel(i, std::int32_t(j)));
    return online.process(places, labels.data(), loss_weights.data(), values.data(), width, 1e-4,
                          poll);
  }

  // (5) of 001 for a support pattern.
  Wide gradient(std::int32_t place, std::int32_t label) const {
    const Patterns& patterns = online.patterns();
    const bool own = label == patterns.at(place).label;
    Wide value = own;
    if (const auto* entry = patterns.support().find(place, label);
        entry && learned.squared() && own == learned.bounds_sum())
      value -= Wide(patterns.support().coefficient(*entry)) / (2 * patterns.at(place).loss_weight);
    for (std::int32_t other : patterns.list())
      if (const auto* entry = patterns.support().find(other, label))
        value -= Wide(patterns.support().coefficient(*entry)) * kernel(place, other);
    return value;
  }

  // (2) of 001.
  Wide dual() const {
    const Patterns& patterns = online.patterns();
    Wide value = 0;
    for (std::int32_t i : patterns.list())
      for (const auto entry : patterns.support().entries(i)) {
        const Wide beta = patterns.support().coefficient(entry);
        const Wide linear_part = entry.label == patterns.at(i).label;
        value += beta * (linear_part + gradient(i, entry.label)) / 2;
      }
    return value;
  }

  // (3), (4), all stored gradients, and what there is to know about each pattern.
  // Returns the dual.
  Wide check_state() const {
    const Patterns& patterns = online.patterns();
    std::vector<std::int32_t> list = patterns.list();
    std::sort(list.begin(), list.end());
    CHECK(std::adjacent_find(list.begin(), list.end()) == list.end());
    for (std::int32_t place = 0; place < std::int32_t(at.size()); ++place) {
      const bool there = std::binary_search(list.begin(), list.end(), place);
      CHECK_EQUAL(patterns.contains(place), there);
      const auto entries = patterns.support().entries(place);
      CHECK_EQUAL(entries.empty(), !there);
      if (!there) continue;
      const Pattern& pattern = patterns.at(place);
      CHECK(entries.size() >= 2 && pattern.loss_weight > 0);
      CHECK_NEAR(pattern.curvature, kernel(place, place), 0);
      Wide sum = 0;
      for (const auto entry : entries) {
        const double beta = patterns.support().coefficient(entry);
        CHECK(beta != 0);
        const bool own = entry.label == pattern.label;
        if (!own) CHECK_AT_MOST(beta, 0);
        if (own == learned.bounds_sum() && !learned.squared())
          CHECK_AT_MOST(std::fabs(beta), pattern.loss_weight * (1 + 1e-15));
        sum += beta;
        CHECK_NEAR(patterns.support().gradient(entry), gradient(place, entry.label), 1e-9L);
      }
      CHECK_NEAR(sum, 0, 1e-12L * pattern.loss_weight);
    }
    const Wide value = dual();
    CHECK_NEAR(patterns.dual(), value, 1e-9L * (1 + std::fabs(value)));
    return value;
  }

  // Removing a pattern costs what its importance says.
  void check_importance() const {
    const Patterns& patterns = online.patterns();
    if (patterns.list().empty()) return;
    const Wide whole = dual();
    Wide least = std::numeric_limits<Wide>::infinity();
    for (std::int32_t place : patterns.list()) {
      Stream copy(*this, place);
      const Wide lost = whole - copy.dual();
      CHECK_NEAR(patterns.importance(place), lost, 1e-8L * (1 + std::fabs(whole)));
      least = std::min(least, lost);
    }
    CHECK_NEAR(patterns.importance(patterns.least_important()), least,
               1e-8L * (1 + std::fabs(whole)));
  }

  // The patterns of another stream, without one of them.
  Stream(const Stream& other, std::int32_t left_out)
      : source(other.source),
        learned(other.learned),
        classes(other.classes),
        linear(other.linear),
        at(other.at),
        online(classes, learned.machine(classes), {}, StepRates({1, 1, 1}, false), 0, 0, nullptr) {
    online.grow(std::int64_t(at.size()));
    const Patterns& patterns = other.online.patterns();
    for (std::int32_t place : patterns.list()) {
      if (place == left_out) continue;
      online.insert(place, patterns.at(place));
      for (const auto entry : patterns.support().entries(place))
        online.patterns().support().add(place, entry.label, patterns.support().coefficient(entry),
                                        0);
    }
  }

  Source& source;
  Learned learned;
  int classes;
  bool linear, failing = false;
  std::vector<Point> at;
  Online<Real> online;
};

template <class Real>
void check_random_use(const Learned& machine, unsigned seed) {
  Source source(seed);
  const int classes = source.chance(0.2) ? 2 : source.integer(3, 6);
  const std::int64_t budget = source.chance(0.3) ? source.integer(1, 12) : kNoBudget;
  const OnlineSettings settings{source.chance(0.5),          source.integer(1, 12),
                                source.power_of_ten(-9, -1), budget,
                                source.chance(0.1),          5};
  // Few steps between two examples: hardly more than one is made without being looked at.
  const StepRates rates({1, source.uniform(0, 1), source.uniform(0, 0.1)}, source.chance(0.3));
  Stream<Real> stream(source, machine, classes, settings, rates, source.integer(0, 60) * 64);
  stream.failing = source.chance(0.2);
  Wide dual = 0;
  std::int64_t learned = 0;
  for (int step = 0; step < 50; ++step) {
    const int count = source.chance(0.8) ? 1 : source.integer(1, 9);
    bool failed = false;
    try {
      CHECK_EQUAL(stream.feed(count, never), count);
      if (source.chance(0.2)) {  // support patterns come again, and one that has gone
        std::vector<std::int32_t> again = stream.online.patterns().list();
        again.push_back(stream.online.patterns().free(1)[0]);
        CHECK_EQUAL(stream.online.revisit(again, never), std::int64_t(again.size()));
      }
      learned += count;
    } catch (const std::runtime_error&) {
      failed = true;
    }
    const Wide now = stream.check_state();
    const Patterns& patterns = stream.online.patterns();
    if (const Candidate& next = stream.online.candidate()) {  // it may have been removed
      CHECK(patterns.contains(next.place));
      CHECK(patterns.support().find(next.place, next.up));
      CHECK(patterns.support().find(next.place, next.down));
    }
    if (budget == kNoBudget) CHECK_AT_MOST(dual, now + 1e-10L * (1 + now));
    dual = now;
    if (!failed) CHECK(std::int64_t(stream.online.patterns().list().size()) <= budget);
    if (step % 20 == 19) stream.check_importance();
  }
  const auto& steps = stream.online.steps;
  CHECK(stream.failing || steps[0] <= learned);
  CHECK(steps[0] > 0 && stream.online.work() >= 300.0 * double(steps[0]));
}

// Rebuilt gradients are those that were there, up to rounding.
void check_rebuild() {
  Source source(5);
  for (std::int64_t bytes : {0, 2000, 1 << 20}) {
    Stream<double> stream(source, {}, 4, {true, 10, 1e-6, kNoBudget, false, 5},
                          StepRates({1, 1, 1}, false), bytes);
    stream.feed(60, never);
    for (std::int32_t label = 0; label < 4; ++label)
      for (double& g : stream.online.patterns().support().column(label).gradients) g = 1e6;
    stream.online.rebuild();
    stream.check_state();
    stream.online.clear();
    CHECK(stream.online.patterns().list().empty());
    CHECK_EQUAL(stream.online.rows().cache().size(), 0);
    stream.feed(20, never);
    stream.check_state();
  }
}

// Between two steps, too: there may be very many before the next example. A signal is told once.
void check_stop() {
  Source source(6);
  for (const bool adaptive : {false, true}) {
    Stream<double> stream(source, {}, 3, {true, 10, 0, kNoBudget, false, 5},
                          StepRates({1, 1e9, 1e9}, adaptive), 1 << 20);
    int asked = 0;
    const std::int64_t learned = stream.feed(5000, [&] { return ++asked == 1 || asked > 20; });
    CHECK(learned < 5000);
    CHECK_EQUAL(asked, 1);
    CHECK(learned >= stream.online.steps[0] && stream.online.steps[0] > 0);
    stream.check_state();
  }
}

void run_tests() {
  for (unsigned seed = 0; seed < 40; ++seed) {
    for (const Learned& machine :
         {Learned{}, Learned{"ww", "hinge"}, Learned{"cs", "squared_hinge"},
          Learned{"ww", "squared_hinge"}}) {
      check_random_use<double>(machine, seed);
      check_random_use<float>(machine, seed);
    }
  }
  check_rebuild();
  check_stop();
}

}  // namespace polymargin::test::test_online
