// Weights on reduced features (003, eqs. (4.3) and (4.4)): only the pairs of a feature and a class
// that occur in the data have a weight, the others are zero for good. A feature that more than a
// quarter of the classes have is stored as a whole row, padded as in Weights, with a bit for each
// class that says which there are; most values of text meet such a feature. The pairs of another
// feature lie side by side in a list, in ascending order of class.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

template <class Real>
class PackedWeights {
 public:
  static constexpr bool kReduced = true;
  static constexpr bool kWhole = false;
  using Bits = std::uint16_t;  // one word per pack of classes
  struct Entry {
    std::int32_t label;
    Real weight;
  };
  // Room for products with a short list of classes. In `slots` all classes have a zero between two
  // products; `numbers` has one for each slot.
  struct Scratch {
    std::vector<std::int32_t> slots;
    std::vector<Real> numbers;
  };

  // No pair has a weight until add_pair() and then pack() are called.
  PackedWeights(std::int64_t features, const ClassLayout& layout)
      : features_(features),
        layout_(layout),
        lanes_(layout.stride / layout.packs),
        occurring_(checked_product(std::size_t(features), std::size_t(layout.packs))),
        places_(features),
        scratch_{std::vector<std::int32_t>(layout.stride), std::vector<Real>(layout.stride + 1)} {}

  void add_pair(std::int64_t feature, int label) {
    occurring_[feature * layout_.packs + label / lanes_] |= Bits(1u << (label % lanes_));
  }

  void pack() {
    std::int64_t rows = 0, listed = 0;
    for (std::int64_t f = 0; f < features_; ++f) {
      const Bits* bits = occurring_.data() + f * layout_.packs;
      int classes = 0;
      for (int v = 0; v < layout_.packs; ++v) classes += std::popcount(bits[v]);
      const bool whole = 4 * classes > layout_.stride;
      places_[f] = std::int32_t(whole ? rows++ : ~listed);
      if (!whole) listed += 1 + classes;
      size_ += classes;
    }
    if (std::max(rows, listed) > std::numeric_limits<std::int32_t>::max())
      throw std::length_error("X has too many pairs of a feature and a class");
    rows_.resize(std::size_t(rows) * layout_.stride);
    row_bits_.resize(std::size_t(rows) * layout_.packs);
    entries_.reserve(std::size_t(listed));
    for (std::int64_t f = 0; f < features_; ++f) {
      const Bits* bits = occurring_.data() + f * layout_.packs;
      if (places_[f] >= 0) {
        std::copy_n(bits, layout_.packs, row_bits_.data() + places_[f] * layout_.packs);
        continue;
      }
      const std::size_t head = entries_.size();
      entries_.push_back({0, 0});
      for_each_bit(bits, [&](std::int32_t label) { entries_.push_back({label, 0}); });
      entries_[head].label = std::int32_t(entries_.size() - head - 1);
    }
    occurring_ = {};
  }

  std::int64_t features() const { return features_; }
  const ClassLayout& layout() const { return layout_; }
  std::int64_t columns() const { return layout_.classes; }
  std::int64_t size() const { return size_; }  // number of pairs
  int lanes() const { return lanes_; }         // of a pack
  // For one product at a time.
  Scratch& scratch() const { return scratch_; }

  // Negative: a list; otherwise a whole row of this number.
  std::int32_t place(std::int64_t feature) const { return places_[feature]; }

  Real* row(std::int32_t place) { return rows_.data() + std::int64_t(place) * layout_.stride; }
  const Real* row(std::int32_t place) const {
    return rows_.data() + std::int64_t(place) * layout_.stride;
  }
  const Bits* row_bits(std::int32_t place) const {
    return row_bits_.data() + std::int64_t(place) * layout_.packs;
  }
  // Whether a class has a weight in a whole row.
  bool occurs(std::int32_t place, int label) const {
    return row_bits(place)[label / lanes_] >> (label % lanes_) & 1;
  }
  // The first entry of a list says how many follow.
  std::span<Entry> list(std::int32_t place) {
    Entry* head = entries_.data() + ~place;
    return {head + 1, std::size_t(head->label)};
  }
  std::span<const Entry> list(std::int32_t place) const {
    return const_cast<PackedWeights*>(this)->list(place);
  }

  // Null where the pair has none.
  Real* of_pair(std::int64_t feature, int label) {
    const std::int32_t at = place(feature);
    if (at >= 0) return occurs(at, label) ? row(at) + label : nullptr;
    for (Entry& entry : list(at))
      if (entry.label == label) return &entry.weight;
    return nullptr;
  }
  const Real* of_pair(std::int64_t feature, int label) const {
    return const_cast<PackedWeights*>(this)->of_pair(feature, label);
  }

  // Calls f(feature, class, weight) for all pairs, feature by feature.
  template <class F>
  void for_each_pair(F&& f) const {
    for (std::int64_t feature = 0; feature < features_; ++feature) {
      const std::int32_t at = place(feature);
      if (at >= 0)
        for_each_bit(row_bits(at), [&](std::int32_t label) { f(feature, label, row(at)[label]); });
      else
        for (const Entry& entry : list(at)) f(feature, entry.label, entry.weight);
    }
  }

  void clear() {
    rows_.clear();
    for (std::int32_t place : places_)
      if (place < 0)
        for (Entry& entry : list(place)) entry.weight = 0;
  }

  double squared_norm() const {
    double sum = 0;
    const std::int64_t rows = std::int64_t(rows_.size()) / layout_.stride;
    for (std::int64_t r = 0; r < rows; ++r) {
      double of_row = 0;
      for (int m = 0; m < layout_.stride; ++m)
        of_row += double(row(std::int32_t(r))[m]) * double(row(std::int32_t(r))[m]);
      sum += of_row;
    }
    for (const Entry& entry : entries_) sum += double(entry.weight) * double(entry.weight);
    return sum;
  }

 private:
  template <class F>
  void for_each_bit(const Bits* bits, F&& f) const {
    for (int v = 0; v < layout_.packs; ++v)
      for (unsigned word = bits[v]; word != 0; word &= word - 1)
        f(std::int32_t(v * lanes_ + std::countr_zero(word)));
  }

  std::int64_t features_;
  ClassLayout layout_;
  int lanes_;
  std::vector<Bits> occurring_;  // of all features, until they are packed
  std::vector<std::int32_t> places_;
  std::int64_t size_ = 0;
  AlignedArray<Real> rows_;
  AlignedArray<Bits> row_bits_;
  std::vector<Entry> entries_;
  mutable Scratch scratch_;
};

}  // namespace polymargin
