// Which groups of classes are nearest to a row: those with a class whose centroid has a large
// product with it. Centroids are sparse and stored by feature, so that a row meets only those that
// share a feature with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "polymargin/access/rows.hpp"
#include "polymargin/base/parallel.hpp"

namespace polymargin {

// Feature f has the numbers values[p] of the classes classes[p], for p from starts[f] to
// starts[f + 1]. Every class is in a group.
template <class Real>
struct CentroidsByFeature {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> classes;
  std::span<const Real> values;
  std::span<const std::int32_t> group;
  int n_groups;

  std::int64_t features() const { return std::int64_t(starts.size()) - 1; }
};

// One row at a time; one object a thread.
template <class Real>
class NearestGroups {
 public:
  // `first`: groups to take, in this order, where fewer than `count` have a product above zero.
  // There are at least `count` of them, all different.
  NearestGroups(const CentroidsByFeature<Real>& centroids, std::span<const std::int32_t> first,
                int count)
      : centroids_(centroids),
        first_(first),
        count_(count),
        products_(centroids.group.size()),
        best_(centroids.n_groups) {}

  // Writes the nearest groups of row i, ascending; `own`, unless it is negative, is one of them.
  void find(const Rows<Real>& rows, std::int64_t i, std::int32_t own, std::int32_t* found) {
    find_products(rows, i);
    find_best();
    const std::size_t count = std::min(near_.size(), std::size_t(count_));
    // The nearest come first, of equals the one with the lower number.
    std::partial_sort(near_.begin(), near_.begin() + std::ptrdiff_t(count), near_.end(),
                      [](const Near& a, const Near& b) {
                        return a.product > b.product ||
                               (a.product == b.product && a.group < b.group);
                      });
    std::int32_t* end = found;
    for (std::size_t c = 0; c < count; ++c) *end++ = near_[c].group;
    for (auto next = first_.begin(); end < found + count_; ++next)
      if (std::find(found, end, *next) == end) *end++ = *next;
    if (own >= 0 && std::find(found, end, own) == end) end[-1] = own;
    std::sort(found, end);
  }

 private:
  struct Near {
    Real product;
    std::int32_t group;
  };

  void find_products(const Rows<Real>& rows, std::int64_t i) {
    rows.values_of(i, values_);
    met_.clear();
    for (const auto& [feature, value] : values_) {
      if (feature >= centroids_.features()) continue;  // the constant one
      const std::int64_t end = centroids_.starts[feature + 1];
      for (std::int64_t p = centroids_.starts[feature]; p < end; ++p) {
        Real& product = products_[centroids_.classes[p]];
        if (product == 0) met_.push_back(centroids_.classes[p]);
        product += value * centroids_.values[p];
      }
    }
  }

  // The largest product of every group that has one above zero; leaves zeros behind.
  void find_best() {
    near_.clear();
    for (std::int32_t m : met_) {  // one comes twice if its product was zero again on the way
      Real& best = best_[centroids_.group[m]];
      if (products_[m] > 0 && best == 0) near_.push_back({0, centroids_.group[m]});
      best = std::max(best, products_[m]);
      products_[m] = 0;
    }
    for (Near& near : near_) {
      near.product = best_[near.group];
      best_[near.group] = 0;
    }
  }

  CentroidsByFeature<Real> centroids_;
  std::span<const std::int32_t> first_;
  int count_;
  std::vector<Real> products_, best_;
  std::vector<std::int32_t> met_;
  std::vector<Near> near_;
  std::vector<FeatureValue<Real>> values_;
};

// The nearest groups of all rows, `count` of each, on threads. `own` may be empty.
template <class Real>
void nearest_groups(const Rows<Real>& rows, const CentroidsByFeature<Real>& centroids,
                    std::span<const std::int32_t> first, std::span<const std::int32_t> own,
                    int count, std::int32_t* found, int threads) {
  std::vector<NearestGroups<Real>> searches(std::max(threads, 1), {centroids, first, count});
  for_each_chunk(threads, rows.size(), 256,
                 [&](int thread, std::int64_t, std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i)
                     searches[thread].find(rows, i, own.empty() ? -1 : own[i], found + i * count);
                 });
}

}  // namespace polymargin
