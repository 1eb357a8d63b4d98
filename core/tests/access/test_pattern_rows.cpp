// Kernel rows of patterns that come and go, against values computed from what is at the places.
#include <set>
#include <stdexcept>

#include "blocks.hpp"
#include "polymargin/access/pattern_rows.hpp"

namespace polymargin::test::test_pattern_rows {

// Points are numbers, each of them given once; so a value tells which two it belongs to.
float kernel_of(int a, int b) { return float(std::min(a, b) * 4099 + std::max(a, b)); }

struct Run {
  explicit Run(unsigned seed)
      : source(seed),
        rows(source.integer(0, 40) * 64, [this](auto some, std::int64_t width, float* values) {
          if (fails) throw std::runtime_error("from a kernel");
          ++calls;
          computed += std::int64_t(some.size()) * width;
          for (std::int32_t i : some)
            for (std::int64_t j = 0; j < width; ++j) *values++ = kernel_of(at[i], at[j]);
        }) {
    grow(source.integer(1, 10));
  }

  void grow(int more) {
    at.resize(at.size() + more, 0);
    rows.grow(std::int64_t(at.size()));
  }

  void check_row(std::int32_t i, const float* row, const std::set<std::int32_t>& there) {
    for (std::int32_t j : there) CHECK_EQUAL(row[j], kernel_of(at[i], at[j]));
  }

  // Asks for rows in any order; those that are known cost nothing.
  void ask(const std::set<std::int32_t>& there) {
    for (std::int32_t i : there) {
      if (source.chance(0.5)) continue;
      const bool known = rows.knows(i);
      const int before = calls;
      fails = source.chance(0.1);
      try {
        check_row(i, rows.row(i), there);
        CHECK(known || !fails);
      } catch (const std::runtime_error&) {
        CHECK(!known && fails && !rows.knows(i));
      }
      CHECK_EQUAL(calls, before + (known || fails ? 0 : 1));
      fails = false;
    }
  }

  void ask_for_all(const std::set<std::int32_t>& there) {
    const std::vector<std::int32_t> places(there.begin(), there.end());
    std::multiset<std::int32_t> visited;
    rows.for_each(places, [&](std::int32_t i, const float* row) {
      visited.insert(i);
      check_row(i, row, there);
    });
    CHECK(std::equal(visited.begin(), visited.end(), there.begin(), there.end()));
  }

  // Some points arrive at the lowest free places; some of them stay.
  void arrive() {
    std::vector<std::int32_t> places;
    const int count = source.integer(1, 6);
    if (int(stays.size()) + count > int(at.size())) grow(source.integer(count, 2 * count));
    for (std::int32_t i = 0; int(places.size()) < count; ++i)
      if (!stays.contains(i)) places.push_back(i);
    for (std::int32_t i : places) at[i] = ++last;
    const std::int64_t width = std::max<std::int64_t>(rows.width(), places.back() + 1);
    std::vector<float> values;
    for (std::int32_t i : places)
      for (std::int64_t j = 0; j < width; ++j) values.push_back(kernel_of(at[i], at[j]));
    rows.arrive(places, values.data(), width);
    CHECK_EQUAL(rows.width(), width);
    std::set<std::int32_t> there = stays;
    for (std::int32_t i : places) {
      there.insert(i);
      CHECK(rows.knows(i));
    }
    ask(there);
    if (source.chance(0.3)) ask_for_all(there);
    // An old pattern leaves before the new ones settle, and an arrival that had come to stay.
    for (std::int32_t i : there)
      if (stays.contains(i) && source.chance(0.3)) {
        rows.forget(i);
        stays.erase(i);
      }
    for (std::int32_t i : places)
      if (source.chance(0.5))
        stays.insert(i);
      else
        rows.forget(i);
    rows.settle(places, [&](std::int32_t i) { return stays.contains(i); });
    values.assign(values.size(), -1);  // what was lent is not used any more
    for (std::int32_t i = 0; i < std::int32_t(at.size()); ++i)
      if (!stays.contains(i)) CHECK(!rows.knows(i));
  }

  Source source;
  bool fails = false;
  int calls = 0, last = 0;
  std::int64_t computed = 0;
  std::vector<int> at;  // by place
  std::set<std::int32_t> stays;
  PatternRows<float> rows;
};

void check_random_use(unsigned seed) {
  Run run(seed);
  for (int step = 0; step < 40; ++step) {
    run.arrive();
    run.ask(run.stays);
    if (run.source.chance(0.2)) run.ask_for_all(run.stays);
    if (run.source.chance(0.1)) run.grow(run.source.integer(0, 4));
    CHECK_EQUAL(run.rows.evaluations(), run.computed);
    CHECK(run.rows.cache().size() <= run.rows.cache().capacity());
  }
}

// Where there is room for all rows, none is ever computed again.
void check_room_for_all() {
  Run run(1);
  PatternRows<float> rows(1 << 20, [](auto, std::int64_t, float*) { CHECK(false); });
  rows.grow(8);
  const std::int32_t places[] = {0, 1, 2, 3};
  std::vector<float> values(16);
  for (int v = 0; v < 16; ++v) values[v] = kernel_of(v / 4, v % 4);
  rows.arrive(places, values.data(), 4);
  rows.settle(places, [](std::int32_t i) { return i != 2; });
  rows.grow(20);
  for (std::int32_t i : {0, 1, 3})
    for (std::int32_t j : {0, 1, 3}) CHECK_EQUAL(rows.row(i)[j], kernel_of(i, j));
  CHECK_EQUAL(rows.evaluations(), 0);
}

void run_tests() {
  for (unsigned seed = 0; seed < 500; ++seed) check_random_use(seed);
  check_room_for_all();
}

}  // namespace polymargin::test::test_pattern_rows
