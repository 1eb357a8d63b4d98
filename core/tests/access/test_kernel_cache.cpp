// The cache of kernel rows and rows on demand, against a list of rows in the order of their use.
#include <list>
#include <map>
#include <numeric>

#include "blocks.hpp"
#include "polymargin/access/kernel_rows_on_demand.hpp"

namespace polymargin::test::test_kernel_cache {

// The value of example i in the column of example j.
float value_of(std::int32_t i, std::int32_t j) { return float(1000 * i + j); }

// Everything a driver can do with the rows, in random order.
void check_random_use(unsigned seed) {
  Source source(seed);
  const int examples = source.integer(1, 30), steps = 400;
  constexpr int kLanes = kNativeBytes / 4;
  const std::int64_t padded = (examples / kLanes + 1) * kLanes;
  const std::int64_t bytes = source.integer(0, 35) * padded * 4 + 3;
  KernelCache<float> cache(examples, examples, bytes);
  std::vector<std::int32_t> columns(examples);
  std::iota(columns.begin(), columns.end(), 0);
  std::int64_t computed = 0;
  KernelRowsOnDemand<float> rows(
      cache, examples, [&](auto some, std::int64_t first, std::int64_t last, float* values) {
        for (std::int32_t i : some)
          for (std::int64_t c = first; c < last; ++c) *values++ = value_of(i, columns[c]);
        computed += std::int64_t(some.size()) * (last - first);
      });
  std::list<std::int32_t> used;            // the last used last
  std::map<std::int32_t, int> columns_of;  // that are there, of each row
  const std::int64_t capacity =
      std::clamp<std::int64_t>(bytes / (4 * padded), 2, std::max(2, examples));
  CHECK_EQUAL(cache.capacity(), capacity);

  int active = examples;
  std::int64_t expected = 0;
  for (int step = 0; step < steps; ++step) {
    const int what = source.integer(0, 9);
    if (what < 7) {  // a row
      const std::int32_t i = source.integer(0, examples - 1);
      const float* row = rows.row(i, active);
      for (int c = 0; c < active; ++c) CHECK_EQUAL(row[c], value_of(i, columns[c]));
      used.remove(i);
      used.push_back(i);
      if (!columns_of.contains(i) && std::int64_t(columns_of.size()) == capacity) {
        columns_of.erase(used.front());
        used.pop_front();
      }
      expected += std::max(0, active - columns_of[i]);
      columns_of[i] = std::max(columns_of[i], active);
    } else if (what == 7) {  // some rows at once, of which none makes room for another
      std::vector<std::int32_t> some;
      for (std::int32_t i = 0; i < examples; ++i)
        if (source.chance(0.3)) some.push_back(i);
      std::vector<std::int32_t> visited;
      rows.for_each_group(some, active, [&](auto group, std::span<const std::int32_t> names) {
        for (std::size_t p = 0; p < names.size(); ++p)
          for (int c = 0; c < active; ++c) CHECK_EQUAL(group[p][c], value_of(names[p], columns[c]));
        visited.insert(visited.end(), names.begin(), names.end());
        return true;
      });
      for (std::int32_t i : visited) {
        const bool known = columns_of.contains(i);
        expected += std::max(0, active - (known ? columns_of[i] : 0));
        if (!known && std::int64_t(columns_of.size()) == capacity) continue;
        if (!known) used.push_back(i);
        columns_of[i] = std::max(columns_of[i], active);
      }
      std::sort(visited.begin(), visited.end());
      CHECK(visited == some);
    } else if (what == 8) {  // fewer columns
      std::vector<std::int32_t> order(active), old = columns;
      std::iota(order.begin(), order.end(), 0);
      for (int c = active - 1; c > 0; --c) std::swap(order[c], order[source.integer(0, c)]);
      rows.reorder(order);
      for (int c = 0; c < active; ++c) columns[c] = old[order[c]];
      for (auto& [i, count] : columns_of)
        if (count < active) count = 0;
      active = source.integer(1, active);
    } else {  // all columns
      active = examples;
    }
    CHECK_EQUAL(computed, expected);
    CHECK_EQUAL(cache.size(), std::int64_t(columns_of.size()));
    CHECK(cache.size() <= capacity);
    for (std::int32_t i = 0; i < examples; ++i)
      CHECK_EQUAL(cache.at(i) != nullptr, columns_of.contains(i));
  }
}

// Columns that are cut off make room for more rows.
void check_keep_columns() {
  constexpr int kLanes = kNativeBytes / 8;
  KernelCache<double> cache(6, 8, 2 * (8 / kLanes + 1) * kNativeBytes);
  for (std::int32_t i : {4, 1}) {
    double* row = cache.insert(i);
    for (int c = 0; c < 8; ++c) row[c] = 10 * i + c;
  }
  CHECK_EQUAL(cache.capacity(), 2);
  const std::int32_t kept[] = {6, 0, 3};
  cache.keep_columns(kept);
  CHECK_EQUAL(cache.capacity(), 2 * (8 / kLanes + 1) / (3 / kLanes + 1));
  for (std::int32_t i : {4, 1})
    for (int c = 0; c < 3; ++c) CHECK_EQUAL(cache.find(i)[c], 10.0 * i + kept[c]);
  cache.clear(8);
  CHECK_EQUAL(cache.size(), 0);
  CHECK(!cache.find(4));
}

// Longer rows keep what they had; those used longest ago leave if there is no room for all.
void check_growth(unsigned seed) {
  Source source(seed);
  constexpr int kLanes = kNativeBytes / 4;
  const auto padded = [](std::int64_t length) { return (length / kLanes + 1) * kLanes; };
  std::int64_t examples = source.integer(0, 10), length = examples;
  const std::int64_t bytes = source.integer(0, 12) * 4 * padded(16);
  KernelCache<float> cache(examples, length, bytes);
  std::list<std::int32_t> used;                     // the last used last
  std::map<std::int32_t, std::int64_t> columns_of;  // that were filled
  for (int step = 0; step < 60; ++step) {
    if (source.chance(0.15) || examples == 0) {
      examples += source.integer(0, 8);
      length += source.integer(0, 8);
      cache.grow(examples, length);
      while (std::int64_t(used.size()) > cache.capacity()) {
        columns_of.erase(used.front());
        used.pop_front();
      }
    } else {
      const std::int32_t i = source.integer(0, int(examples) - 1);
      if (cache.find(i)) {
        used.remove(i);
        if (source.chance(0.3)) {
          cache.forget(i);
          columns_of.erase(i);
        } else {
          used.push_back(i);
        }
      } else {
        if (std::int64_t(used.size()) == cache.capacity()) {
          columns_of.erase(used.front());
          used.pop_front();
        }
        float* const row = cache.insert(i);
        for (std::int64_t c = 0; c < length; ++c) row[c] = value_of(i, std::int32_t(c));
        used.push_back(i);
        columns_of[i] = length;
      }
    }
    const std::int64_t fit = bytes / (4 * padded(length));
    CHECK_EQUAL(cache.capacity(),
                std::clamp<std::int64_t>(fit, 2, std::max<std::int64_t>(2, examples)));
    CHECK_EQUAL(cache.length(), length);
    CHECK_EQUAL(cache.size(), std::int64_t(used.size()));
    CHECK(cache.in_order_of_use() == std::vector<std::int32_t>(used.begin(), used.end()));
    for (std::int32_t i = 0; i < examples; ++i) {
      const float* const row = cache.at(i);
      CHECK_EQUAL(row != nullptr, columns_of.contains(i));
      if (!row) continue;
      for (std::int64_t c = 0; c < padded(length); ++c)  // packs read beyond the end
        CHECK_EQUAL(row[c], c < columns_of[i] ? value_of(i, std::int32_t(c)) : 0.0f);
    }
  }
}

void run_tests() {
  for (unsigned seed = 0; seed < 500; ++seed) check_random_use(seed);
  for (unsigned seed = 0; seed < 300; ++seed) check_growth(seed);
  check_keep_columns();
}

}  // namespace polymargin::test::test_kernel_cache
