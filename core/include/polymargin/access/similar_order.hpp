// An order of classes in which like ones are neighbours: their centroids are divided into two
// halves by 2-means with halves of given sizes, and the halves again, down to single tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "polymargin/base/random.hpp"

namespace polymargin {

// Class m has the numbers values[p] of the features features[p], p from starts[m] to starts[m + 1].
template <class Real>
struct CentroidsByClass {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> features;
  std::span<const Real> values;
  std::int64_t n_features;
};

template <class Real>
class SimilarOrder {
 public:
  explicit SimilarOrder(const CentroidsByClass<Real>& centroids)
      : centroids_(centroids),
        order_(centroids.starts.size() - 1),
        difference_(centroids.n_features) {
    for (std::size_t m = 0; m < order_.size(); ++m) order_[m] = std::int32_t(m);
    sides_.resize(order_.size());
  }

  // The classes in order; parts of `tile` of them are alike.
  std::vector<std::int32_t> find(std::int64_t tile, std::uint64_t seed) {
    Random random(seed);
    divide(order_, tile, random);
    return std::move(order_);
  }

 private:
  static constexpr int kRounds = 6;

  void divide(std::span<std::int32_t> classes, std::int64_t tile, Random& random) {
    const std::int64_t size = std::int64_t(classes.size());
    if (size <= tile) {
      std::sort(classes.begin(), classes.end());
      return;
    }
    // Whole tiles on the left, so that only the last of all is not full.
    const std::int64_t left = (size / tile + (size % tile != 0)) / 2 * tile;
    random.shuffle(classes);  // the first halves are by chance
    for (int round = 0; round < kRounds; ++round) {
      add(classes.first(left), 1 / double(left));
      add(classes.subspan(left), -1 / double(size - left));
      for (std::int32_t m : classes) sides_[m] = product(m);
      add(classes.first(left), 0);
      add(classes.subspan(left), 0);
      const auto before = [&](std::int32_t a, std::int32_t b) {
        return sides_[a] > sides_[b] || (sides_[a] == sides_[b] && a < b);
      };
      std::nth_element(classes.begin(), classes.begin() + left, classes.end(), before);
    }
    divide(classes.first(left), tile, random);
    divide(classes.subspan(left), tile, random);
  }

  // Adds the centroids of classes, times `share`, to the difference of the two means; with zero,
  // clears their features in it.
  void add(std::span<const std::int32_t> classes, double share) {
    for (std::int32_t m : classes)
      for (std::int64_t p = centroids_.starts[m]; p < centroids_.starts[m + 1]; ++p) {
        double& sum = difference_[centroids_.features[p]];
        sum = share == 0 ? 0 : sum + share * double(centroids_.values[p]);
      }
  }

  double product(std::int32_t m) const {
    double sum = 0;
    for (std::int64_t p = centroids_.starts[m]; p < centroids_.starts[m + 1]; ++p)
      sum += double(centroids_.values[p]) * difference_[centroids_.features[p]];
    return sum;
  }

  CentroidsByClass<Real> centroids_;
  std::vector<std::int32_t> order_;
  std::vector<double> difference_, sides_;
};

}  // namespace polymargin
