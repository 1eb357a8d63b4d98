// The products of a row with the weights of its tiles of classes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "polymargin/access/tiled_weights.hpp"

namespace polymargin {

// A score that no margin is violated by: of places in the last tile where there is no class.
template <class Real>
inline constexpr Real kNoClass = Real(-1e30);

// Calls f(feature, value) for all that is stored of a row, the constant feature last.
template <class Real, class Row, class F>
[[gnu::always_inline]] inline void for_each_stored(const Row& row, std::int64_t features, Real bias,
                                                   F&& f) {
  for (std::int64_t p = 0; p < row.size; ++p) f(row.feature(p), row.value(p));
  if (bias != 0) f(features - 1, bias);
}

// The numbers, among its own, of the tiles of a row that lie in packs [first, last).
struct TileRange {
  int begin, end;

  template <class Real>
  TileRange(const TiledWeights<Real>& w, int first, int last) {
    const int lanes = w.layout().stride / w.layout().packs;
    begin = first * lanes / kTileClasses;
    end = std::min(w.tiles_a_row(), (last * lanes + kTileClasses - 1) / kTileClasses);
  }
};

// Weights of a row's features that are added up soon: they are asked for all at once, because
// each lies somewhere else in memory.
template <class Real>
class PendingProducts {
 public:
  explicit PendingProducts(Real* sums) : sums_(sums) {}
  ~PendingProducts() { finish(); }

  // sums[16 t + lane] += value weights[lane]
  void add(int t, Real value, const Real* weights) {
    __builtin_prefetch(weights);
    if constexpr (sizeof(Real) * kTileClasses > 64) __builtin_prefetch(weights + kTileClasses / 2);
    if (count_ == kMost) finish();
    pending_[count_++] = {weights, value, t};
  }

 private:
  static constexpr int kMost = 128;
  struct Product {
    const Real* weights;
    Real value;
    int t;
  };

  void finish() {
    for (int p = 0; p < count_; ++p) {
      const auto [weights, value, t] = pending_[p];
      for (int lane = 0; lane < kTileClasses; ++lane)
        sums_[t * kTileClasses + lane] += value * weights[lane];
    }
    count_ = 0;
  }

  Real* sums_;
  Product pending_[kMost];
  int count_ = 0;
};

// The four products of Rows.
template <class Real, class Row>
inline void tiled_scores(const Row& row, std::int64_t i, const TiledWeights<Real>& w, Real bias,
                         Real* scores, int first, int last) {
  constexpr int kAtOnce = 8;
  const auto tiles = w.tiles_of(i);
  const TileRange range(w, first, last);
  for (int begin = range.begin; begin < range.end; begin += kAtOnce) {
    const int count = std::min(kAtOnce, range.end - begin);
    Real sums[kAtOnce * kTileClasses] = {};
    {
      PendingProducts<Real> pending(sums);
      for_each_stored(row, w.features(), bias, [&](std::int64_t feature, Real value) {
        for (int t = 0; t < count; ++t)
          if (const Real* weights = w.find(feature, tiles[begin + t]))
            pending.add(t, value, weights);
      });
    }
    const int own = begin * kTileClasses;
    const int end = std::min(w.layout().stride, own + count * kTileClasses);
    std::copy(sums, sums + (end - own), scores + own);
  }
  if (range.end == w.tiles_a_row()) {  // the last of all tiles can only be the last of the row
    const int there = (range.end - 1) * kTileClasses + w.width(tiles.back());
    for (int m = there; m < w.layout().classes; ++m) scores[m] = kNoClass<Real>;
  }
}

template <class Real, class Row>
inline void tiled_add(const Row& row, std::int64_t i, TiledWeights<Real>& w, Real bias,
                      const Real* coefficients, int first, int last) {
  const auto tiles = w.tiles_of(i);
  const TileRange range(w, first, last);
  for (int t = range.begin; t < range.end; ++t) {
    Real change[kTileClasses] = {};
    const int end = std::min(w.layout().stride, (t + 1) * kTileClasses);
    std::copy(coefficients + t * kTileClasses, coefficients + end, change);
    if (std::all_of(change, change + kTileClasses, [](Real b) { return b == 0; })) continue;
    for_each_stored(row, w.features(), bias, [&](std::int64_t feature, Real value) {
      Real* const weights = w.find_or_make(feature, tiles[t]);
      for (int lane = 0; lane < kTileClasses; ++lane) weights[lane] += value * change[lane];
    });
  }
}

template <class Real, class Row>
inline void tiled_scores_of(const Row& row, std::int64_t i, const TiledWeights<Real>& w, Real bias,
                            const std::int32_t* classes, int count, Real* scores) {
  const auto tiles = w.tiles_of(i);
  for (int c = 0; c < count; ++c) {
    const std::int32_t tile = tiles[classes[c] / kTileClasses], lane = classes[c] % kTileClasses;
    Real sum = 0;
    for_each_stored(row, w.features(), bias, [&](std::int64_t feature, Real value) {
      if (const Real* weights = w.find(feature, tile)) sum += value * weights[lane];
    });
    scores[c] = sum;
  }
}

template <class Real, class Row>
inline void tiled_add_to(const Row& row, std::int64_t i, TiledWeights<Real>& w, Real bias,
                         const std::int32_t* classes, int count, const Real* coefficients) {
  const auto tiles = w.tiles_of(i);
  for (int c = 0; c < count; ++c) {
    if (coefficients[c] == 0) continue;
    const std::int32_t tile = tiles[classes[c] / kTileClasses], lane = classes[c] % kTileClasses;
    for_each_stored(row, w.features(), bias, [&](std::int64_t feature, Real value) {
      w.find_or_make(feature, tile)[lane] += value * coefficients[c];
    });
  }
}

}  // namespace polymargin
