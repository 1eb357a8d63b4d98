// Kernel rows of patterns that come and go: k(x_i, .) with the patterns at all places. Arrivals
// bring theirs with them; of those that stay, rows are kept in a cache, and computed again on
// demand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "polymargin/access/kernel_cache.hpp"

namespace polymargin {

template <class Real>
class PatternRows {
 public:
  // Computes the kernel of the patterns at some places with all places below `width`, one row after
  // the other.
  using Source =
      std::function<void(std::span<const std::int32_t> places, std::int64_t width, Real* values)>;

  PatternRows(std::int64_t bytes, Source source)
      : cache_(0, 0, bytes), source_(std::move(source)) {}

  void grow(std::int64_t places) {
    cache_.grow(places, places);
    arrived_.resize(places);
  }

  // The rows of arrivals, of `width` values each, stay where they are until settle(). Their columns
  // complete the rows in the cache.
  void arrive(std::span<const std::int32_t> places, const Real* values, std::int64_t width) {
    width_ = std::max(width_, width);
    for (std::size_t b = 0; b < places.size(); ++b) arrived_[places[b]] = values + b * width;
    for (std::int32_t i = 0; i < std::int32_t(width); ++i) {
      Real* const row = cache_.at(i);
      if (!row) continue;
      for (std::size_t b = 0; b < places.size(); ++b) row[places[b]] = values[b * width + i];
    }
  }

  // What has arrived and passes the test is there to stay, with its row.
  template <class Stays>
  void settle(std::span<const std::int32_t> places, Stays&& stays) {
    for (std::int32_t i : places) {
      const Real* const values = std::exchange(arrived_[i], nullptr);
      if (stays(i)) std::copy_n(values, width_, cache_.insert(i));
    }
  }

  // Valid until the next one is asked for.
  const Real* row(std::int32_t i) {
    if (arrived_[i]) return arrived_[i];
    if (const Real* known = cache_.find(i)) return known;
    Real* const values = cache_.insert(i);
    try {
      source_(std::span(&i, 1), width_, values);
    } catch (...) {
      cache_.forget(i);
      throw;
    }
    evaluations_ += width_;
    return values;
  }

  // Whether asking for it costs nothing.
  bool knows(std::int32_t i) { return arrived_[i] || cache_.at(i); }

  // Calls f(place, row) for all of `places`; rows that have to be computed come many at a time, and
  // enter the cache where it has room.
  template <class F>
  void for_each(std::span<const std::int32_t> places, F&& f) {
    std::vector<std::int32_t> missing;
    for (std::int32_t i : places)
      if (knows(i))
        f(i, row(i));
      else
        missing.push_back(i);
    std::vector<Real> values(std::min<std::size_t>(missing.size(), kGroup) * width_);
    for (std::size_t first = 0; first < missing.size(); first += kGroup) {
      const auto group = std::span<const std::int32_t>(missing).subspan(first).first(
          std::min<std::size_t>(kGroup, missing.size() - first));
      source_(group, width_, values.data());
      evaluations_ += std::int64_t(group.size()) * width_;
      for (std::size_t p = 0; p < group.size(); ++p) {
        const Real* const row = values.data() + p * width_;
        f(group[p], row);
        if (cache_.size() < cache_.capacity()) std::copy_n(row, width_, cache_.insert(group[p]));
      }
    }
  }

  void forget(std::int32_t i) {
    if (cache_.at(i)) cache_.forget(i);
  }

  // Places that may be occupied are below this.
  std::int64_t width() const { return width_; }
  void set_width(std::int64_t width) { width_ = width; }
  // Kernel values computed on demand.
  std::int64_t evaluations() const { return evaluations_; }
  void set_evaluations(std::int64_t evaluations) { evaluations_ = evaluations; }
  KernelCache<Real>& cache() { return cache_; }

 private:
  static constexpr std::size_t kGroup = 64;

  KernelCache<Real> cache_;
  Source source_;
  std::vector<const Real*> arrived_;  // by place; null if it is not an arrival
  std::int64_t width_ = 0, evaluations_ = 0;
};

}  // namespace polymargin
