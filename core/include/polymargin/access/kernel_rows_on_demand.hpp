// Kernel rows on demand: from the cache, or from whoever computes them. A row may be there in part:
// its first columns. A driver that needs fewer columns puts these first, and has no more computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "polymargin/access/kernel_cache.hpp"

namespace polymargin {

template <class Real>
class KernelRowsOnDemand {
 public:
  // Computes columns first..last of the rows of some examples, one row after the other.
  using Source = std::function<void(std::span<const std::int32_t> examples, std::int64_t first,
                                    std::int64_t last, Real* values)>;

  KernelRowsOnDemand(KernelCache<Real>& cache, std::int64_t examples, Source source)
      : cache_(cache), source_(std::move(source)), filled_(examples) {}

  std::int64_t evaluations() const { return evaluations_; }

  // The first `length` columns of a row. The last two rows asked for stay where they are.
  const Real* row(std::int32_t i, std::int64_t length) {
    if (!cache_.find(i)) {
      cache_.insert(i);
      filled_[i] = 0;
    }
    Real* const values = cache_.at(i);
    if (filled_[i] < length) {
      compute(std::span(&i, 1), filled_[i], length, values + filled_[i]);
      filled_[i] = length;
    }
    return values;
  }

  // Calls f(rows, examples) for groups that make up `examples`, with the first `length` columns of
  // their rows, until it returns false. Rows enter the cache where it has room, but none leaves it.
  template <class F>
  bool for_each_group(std::vector<std::int32_t> examples, std::int64_t length, F&& f) {
    const auto known = [&](std::int32_t i) { return cache_.at(i) ? filled_[i] : 0; };
    std::stable_sort(examples.begin(), examples.end(),
                     [&](std::int32_t a, std::int32_t b) { return known(a) < known(b); });
    std::vector<Real> values;
    std::vector<const Real*> rows;
    for (auto begin = examples.begin(); begin != examples.end();) {
      const std::int64_t first = std::min(known(*begin), length);
      auto end = begin;
      while (end != examples.end() && end - begin < kGroup &&
             std::min(known(*end), length) == first)
        ++end;
      const std::span<const std::int32_t> group(begin, end);
      const std::int64_t width = length - first;
      values.resize(group.size() * width);
      if (width > 0) compute(group, first, length, values.data());
      rows.clear();
      for (std::size_t p = 0; p < group.size(); ++p)
        rows.push_back(put(group[p], first, length, values.data() + p * width));
      if (!f(std::span<const Real* const>(rows), group)) return false;
      begin = end;
    }
    return true;
  }

  // Puts the first columns into another order: column c is what column order[c] was.
  void reorder(std::span<const std::int32_t> order) {
    cache_.reorder(order);
    for (std::int64_t& filled : filled_)
      if (filled < std::int64_t(order.size())) filled = 0;
  }

 private:
  static constexpr int kGroup = 64;

  void compute(std::span<const std::int32_t> examples, std::int64_t first, std::int64_t last,
               Real* values) {
    source_(examples, first, last, values);
    evaluations_ += std::int64_t(examples.size()) * (last - first);
  }

  // Puts columns first..last of a row into the cache if it can; returns the whole row.
  const Real* put(std::int32_t i, std::int64_t first, std::int64_t last, const Real* values) {
    if (!cache_.at(i)) {
      if (cache_.size() >= cache_.capacity()) return values;
      cache_.insert(i);
    }
    std::copy_n(values, last - first, cache_.at(i) + first);
    if (last > first) filled_[i] = last;
    return cache_.at(i);
  }

  KernelCache<Real>& cache_;
  Source source_;
  std::vector<std::int64_t> filled_;  // of rows in the cache: how many columns are there
  std::int64_t evaluations_ = 0;
};

}  // namespace polymargin
