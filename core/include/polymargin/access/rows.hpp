// Rows of the data, and the two products every linear driver needs: the scores of a row and the
// addition of a row to W. A storage class only says what a row looks like (RowsOf<Storage>); the
// kernels are written once.
#pragma once

#include <cstdint>
#include <vector>

#include "polymargin/access/packed_rows.hpp"
#include "polymargin/access/single_products.hpp"
#include "polymargin/access/tiled_rows.hpp"
#include "polymargin/access/weights.hpp"

namespace polymargin {

template <class Real>
struct FeatureValue {
  std::int64_t feature;
  Real value;
};

// What a driver sees. Virtual calls cost a few nanoseconds a row; what happens inside is inlined.
template <class Real>
class Rows {
 public:
  virtual ~Rows() = default;

  virtual std::int64_t size() const = 0;
  virtual std::int64_t features() const = 0;  // of W: counts the constant feature
  virtual std::int64_t row_length(std::int64_t i) const = 0;
  virtual Real squared_norm(std::int64_t i) const = 0;
  // Asks for a row that is needed soon; before that, for what tells where the row is.
  virtual void prefetch(std::int64_t i) const = 0;
  virtual void prefetch_place(std::int64_t i) const = 0;

  // scores[m] = <w_m, x_i> for the classes of packs [first, last)
  virtual void scores(std::int64_t i, const Weights<Real>& w, Real* scores, int first,
                      int last) const = 0;
  // w_m += coefficients[m] x_i for the classes of packs [first, last)
  virtual void add(std::int64_t i, Weights<Real>& w, const Real* coefficients, int first,
                   int last) const = 0;

  // The same for a short list of classes; scores and coefficients follow the list.
  virtual void scores_of(std::int64_t i, const Weights<Real>& w, const std::int32_t* classes,
                         int count, Real* scores) const = 0;
  virtual void add_to(std::int64_t i, Weights<Real>& w, const std::int32_t* classes, int count,
                      const Real* coefficients) const = 0;

  // The same with packed weights.
  virtual void scores(std::int64_t i, const PackedWeights<Real>& w, Real* scores, int first,
                      int last) const = 0;
  virtual void add(std::int64_t i, PackedWeights<Real>& w, const Real* coefficients, int first,
                   int last) const = 0;
  virtual void scores_of(std::int64_t i, const PackedWeights<Real>& w, const std::int32_t* classes,
                         int count, Real* scores) const = 0;
  virtual void add_to(std::int64_t i, PackedWeights<Real>& w, const std::int32_t* classes,
                      int count, const Real* coefficients) const = 0;

  // The same with tiled weights, whose row i this is.
  virtual void scores(std::int64_t i, const TiledWeights<Real>& w, Real* scores, int first,
                      int last) const = 0;
  virtual void add(std::int64_t i, TiledWeights<Real>& w, const Real* coefficients, int first,
                   int last) const = 0;
  virtual void scores_of(std::int64_t i, const TiledWeights<Real>& w, const std::int32_t* classes,
                         int count, Real* scores) const = 0;
  virtual void add_to(std::int64_t i, TiledWeights<Real>& w, const std::int32_t* classes, int count,
                      const Real* coefficients) const = 0;

  // All that is stored of a row, the constant feature last.
  virtual void values_of(std::int64_t i, std::vector<FeatureValue<Real>>& values) const = 0;
  // The features of a row that are not zero, with the constant one.
  virtual std::vector<std::int64_t> features_of(std::int64_t i) const = 0;
};

// One row: `size` values, the p-th belongs to feature `feature(p)`.
template <class Real, class Index>
struct SparseRow {
  static constexpr bool kContiguous = false;
  const Real* values;
  const Index* indices;
  std::int64_t size;
  Real value(std::int64_t p) const { return values[p]; }
  std::int64_t feature(std::int64_t p) const { return std::int64_t(indices[p]); }
};

template <class Real, bool Contiguous>
struct DenseRow {
  static constexpr bool kContiguous = Contiguous;
  const Real* values;
  std::int64_t stride;
  std::int64_t size;
  Real value(std::int64_t p) const { return values[Contiguous ? p : p * stride]; }
  std::int64_t feature(std::int64_t p) const { return p; }
};

// Scores of one register tile of classes. The accumulators never leave the registers; a narrow
// tile takes several features at once so that the additions do not wait for each other.
template <class Real, int Bytes, int Tile, class Row, class W>
inline void score_tile(const Row& row, const W& w, int first_pack, Real bias, Real* scores) {
  using V = Pack<Real, Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(Real));
  constexpr int kFeatures = Tile >= 4 ? 1 : Tile >= 2 ? 2 : 4;
  const std::int64_t offset = std::int64_t(first_pack) * kLanes;

  V sums[kFeatures][Tile] = {};
  std::int64_t p = 0;
  for (; p + kFeatures <= row.size; p += kFeatures) {
#pragma GCC unroll 4
    for (int f = 0; f < kFeatures; ++f) {
      const Real* weights = w.of_feature(row.feature(p + f)) + offset;
      const Real value = row.value(p + f);
#pragma GCC unroll 8
      for (int t = 0; t < Tile; ++t) sums[f][t] += value * load<V>(weights + t * kLanes);
    }
  }
  for (; p < row.size; ++p) {
    const Real* weights = w.of_feature(row.feature(p)) + offset;
#pragma GCC unroll 8
    for (int t = 0; t < Tile; ++t) sums[0][t] += row.value(p) * load<V>(weights + t * kLanes);
  }
  if (bias != 0) {
    const Real* weights = w.of_feature(w.features() - 1) + offset;
#pragma GCC unroll 8
    for (int t = 0; t < Tile; ++t) sums[0][t] += bias * load<V>(weights + t * kLanes);
  }
#pragma GCC unroll 8
  for (int t = 0; t < Tile; ++t) {
    V sum = sums[0][t];
    for (int f = 1; f < kFeatures; ++f) sum += sums[f][t];
    store(scores + offset + t * kLanes, sum);
  }
}

template <class Real, int Bytes, int Tile, class Row, class W>
inline void add_tile(const Row& row, W& w, int first_pack, Real bias, const Real* coefficients) {
  using V = Pack<Real, Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(Real));
  const std::int64_t offset = std::int64_t(first_pack) * kLanes;

  V change[Tile];
#pragma GCC unroll 8
  for (int t = 0; t < Tile; ++t) change[t] = load<V>(coefficients + offset + t * kLanes);
  const auto add = [&](std::int64_t feature, Real value) {
    Real* weights = w.of_feature(feature) + offset;
#pragma GCC unroll 8
    for (int t = 0; t < Tile; ++t)
      store(weights + t * kLanes, load<V>(weights + t * kLanes) + value * change[t]);
  };
  for (std::int64_t p = 0; p < row.size; ++p) add(row.feature(p), row.value(p));
  if (bias != 0) add(w.features() - 1, bias);
}

// Implements Rows from `Storage`: row(i), size(), features() and the two prefetches. A bias other
// than zero adds a last, constant feature of that value to every row.
template <class Real, class Storage>
class RowsOf final : public Rows<Real> {
 public:
  RowsOf(const Storage& storage, Real bias) : storage_(storage), bias_(bias) {}

  const Storage& storage() const { return storage_; }
  Real bias() const { return bias_; }

  std::int64_t size() const override { return storage_.size(); }
  std::int64_t features() const override { return storage_.features() + (bias_ != 0); }
  std::int64_t row_length(std::int64_t i) const override { return storage_.row(i).size; }
  void prefetch(std::int64_t i) const override { storage_.prefetch(i); }
  void prefetch_place(std::int64_t i) const override { storage_.prefetch_place(i); }

  Real squared_norm(std::int64_t i) const override {
    constexpr int kSums = 16;  // which do not wait for each other
    const auto row = storage_.row(i);
    double sums[kSums] = {double(bias_) * double(bias_)};
    const auto add = [&](int s, std::int64_t p) {
      const double value = double(row.value(p));
      sums[s] += value * value;
    };
    std::int64_t p = 0;
    for (; p + kSums <= row.size; p += kSums)
      for (int s = 0; s < kSums; ++s) add(s, p + s);
    for (; p < row.size; ++p) add(int(p % kSums), p);
    double sum = 0;
    for (double part : sums) sum += part;
    return Real(sum);
  }

  void scores(std::int64_t i, const Weights<Real>& w, Real* scores, int first,
              int last) const override {
    const auto row = storage_.row(i);
    if (w.single()) {
      scores[0] = single_score(row, w.of_feature(0), storage_.features(), bias_);
      return;
    }
    with_pack_bytes(w.layout().bytes, [&](auto bytes) {
      for_each_tile(first, last, [&](auto tile, int first_pack) {
        score_tile<Real, bytes(), tile()>(row, w, first_pack, bias_, scores);
      });
    });
  }

  void add(std::int64_t i, Weights<Real>& w, const Real* coefficients, int first,
           int last) const override {
    const auto row = storage_.row(i);
    if (w.single())
      return single_add(row, w.of_feature(0), storage_.features(), bias_, coefficients[0]);
    with_pack_bytes(w.layout().bytes, [&](auto bytes) {
      for_each_tile(first, last, [&](auto tile, int first_pack) {
        add_tile<Real, bytes(), tile()>(row, w, first_pack, bias_, coefficients);
      });
    });
  }

  void scores_of(std::int64_t i, const Weights<Real>& w, const std::int32_t* classes, int count,
                 Real* scores) const override {
    for (int c = 0; c < count; ++c) scores[c] = 0;
    for_each_value(i, w, [&](const Real* weights, Real value) {
      for (int c = 0; c < count; ++c) scores[c] += value * weights[classes[c]];
    });
  }

  void add_to(std::int64_t i, Weights<Real>& w, const std::int32_t* classes, int count,
              const Real* coefficients) const override {
    for_each_value(i, w, [&](Real* weights, Real value) {
      for (int c = 0; c < count; ++c) weights[classes[c]] += value * coefficients[c];
    });
  }

  void scores(std::int64_t i, const PackedWeights<Real>& w, Real* scores, int first,
              int last) const override {
    packed_scores(storage_.row(i), w, bias_, scores, first, last);
  }

  void add(std::int64_t i, PackedWeights<Real>& w, const Real* coefficients, int first,
           int last) const override {
    packed_add(storage_.row(i), w, bias_, coefficients, first, last);
  }

  void scores_of(std::int64_t i, const PackedWeights<Real>& w, const std::int32_t* classes,
                 int count, Real* scores) const override {
    packed_scores_of(storage_.row(i), w, bias_, classes, count, scores);
  }

  void add_to(std::int64_t i, PackedWeights<Real>& w, const std::int32_t* classes, int count,
              const Real* coefficients) const override {
    packed_add_to(storage_.row(i), w, bias_, classes, count, coefficients);
  }

  void scores(std::int64_t i, const TiledWeights<Real>& w, Real* scores, int first,
              int last) const override {
    tiled_scores(storage_.row(i), i, w, bias_, scores, first, last);
  }

  void add(std::int64_t i, TiledWeights<Real>& w, const Real* coefficients, int first,
           int last) const override {
    tiled_add(storage_.row(i), i, w, bias_, coefficients, first, last);
  }

  void scores_of(std::int64_t i, const TiledWeights<Real>& w, const std::int32_t* classes,
                 int count, Real* scores) const override {
    tiled_scores_of(storage_.row(i), i, w, bias_, classes, count, scores);
  }

  void add_to(std::int64_t i, TiledWeights<Real>& w, const std::int32_t* classes, int count,
              const Real* coefficients) const override {
    tiled_add_to(storage_.row(i), i, w, bias_, classes, count, coefficients);
  }

  void values_of(std::int64_t i, std::vector<FeatureValue<Real>>& values) const override {
    values.clear();
    for_each_feature(i,
                     [&](std::int64_t feature, Real value) { values.push_back({feature, value}); });
  }

  std::vector<std::int64_t> features_of(std::int64_t i) const override {
    std::vector<std::int64_t> features;
    for_each_feature(i, [&](std::int64_t feature, Real value) {
      if (value != 0) features.push_back(feature);
    });
    return features;
  }

 private:
  // f(feature, value), with the constant feature.
  template <class F>
  void for_each_feature(std::int64_t i, F&& f) const {
    for_each_stored(storage_.row(i), features(), bias_, f);
  }

  template <class W, class F>
  void for_each_value(std::int64_t i, W& w, F&& f) const {
    for_each_feature(i, [&](std::int64_t feature, Real value) { f(w.of_feature(feature), value); });
  }

  Storage storage_;
  Real bias_;
};

}  // namespace polymargin
