// Weights on reduced features (003, eqs. (4.3) and (4.4)): only the pairs of a feature and a class
// that occur in the data have a weight, the others are zero for good. A bit for each class says
// which there are. A feature that most classes have is stored as a whole row, padded as in Weights.
// The weights of another feature lie side by side in a list, in ascending order of class, behind
// their bits; they are spread over the lanes of a pack by one instruction where the processor has
// it. Row 0 is zero and stands for all features in lists, so that the sum over whole rows, which
// most values of the data meet, needs no branch.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

template <class Real>
class PackedWeights {
 public:
  static constexpr bool kReduced = true;
  using Bits = std::uint16_t;  // one word per pack of classes

  // No pair has a weight until add_pair() and then pack() are called.
  PackedWeights(std::int64_t features, const ClassLayout& layout)
      : features_(features),
        layout_(layout),
        lanes_(layout.stride / layout.packs),
        header_((layout.packs * int(sizeof(Bits)) + int(sizeof(Real)) - 1) / int(sizeof(Real))),
        occurring_(std::size_t(features) * layout.packs),
        places_(features) {}

  void add_pair(std::int64_t feature, int label) {
    occurring_[feature * layout_.packs + label / lanes_] |= Bits(1u << (label % lanes_));
  }

  void pack() {
    std::int64_t rows = 1, listed = 0;
    for (std::int64_t f = 0; f < features_; ++f) {
      const Bits* bits = occurring_.data() + f * layout_.packs;
      int classes = 0;
      for (int v = 0; v < layout_.packs; ++v) classes += std::popcount(bits[v]);
      const bool whole = 2 * classes > layout_.stride;
      places_[f] = std::int32_t(whole ? rows++ : ~listed);
      if (!whole) listed += header_ + classes;
      size_ += classes;
    }
    if (std::max(rows, listed) > std::numeric_limits<std::int32_t>::max())
      throw std::length_error("X has too many pairs of a feature and a class");
    rows_.resize(std::size_t(rows) * layout_.stride);
    row_bits_.resize(std::size_t(rows) * layout_.packs);
    lists_.resize(std::size_t(listed) + kAlignment);  // the last pack may be read to its end
    for (std::int64_t f = 0; f < features_; ++f) {
      const std::int32_t at = places_[f];
      std::copy_n(occurring_.data() + f * layout_.packs, layout_.packs,
                  const_cast<Bits*>(at > 0 ? row_bits(at) : list_bits(at)));
    }
    occurring_ = {};
  }

  std::int64_t features() const { return features_; }
  const ClassLayout& layout() const { return layout_; }
  std::int64_t size() const { return size_; }  // number of pairs

  // Positive: a whole row of this number; negative: a list.
  std::int32_t place(std::int64_t feature) const { return places_[feature]; }

  Real* row(std::int32_t place) { return rows_.data() + std::int64_t(place) * layout_.stride; }
  const Real* row(std::int32_t place) const {
    return rows_.data() + std::int64_t(place) * layout_.stride;
  }
  const Bits* row_bits(std::int32_t place) const {
    return row_bits_.data() + std::int64_t(place) * layout_.packs;
  }
  const Bits* list_bits(std::int32_t place) const {
    return reinterpret_cast<const Bits*>(lists_.data() + ~place);
  }
  // The weights of a list, from the first class of a pack on.
  Real* list(std::int32_t place, int first_pack = 0) {
    Real* weights = lists_.data() + ~place + header_;
    for (int v = 0; v < first_pack; ++v) weights += std::popcount(list_bits(place)[v]);
    return weights;
  }
  const Real* list(std::int32_t place, int first_pack = 0) const {
    return const_cast<PackedWeights*>(this)->list(place, first_pack);
  }

  // Null where the pair has none.
  Real* of_pair(std::int64_t feature, int label) {
    const std::int32_t at = place(feature);
    const int v = label / lanes_, lane = label % lanes_;
    const unsigned word = (at > 0 ? row_bits(at) : list_bits(at))[v], bit = 1u << lane;
    if (!(word & bit)) return nullptr;
    return at > 0 ? row(at) + label : list(at, v) + std::popcount(word & (bit - 1));
  }
  const Real* of_pair(std::int64_t feature, int label) const {
    return const_cast<PackedWeights*>(this)->of_pair(feature, label);
  }

  // Calls f(feature, class, weight) for all pairs, feature by feature.
  template <class F>
  void for_each_pair(F&& f) const {
    for (std::int64_t feature = 0; feature < features_; ++feature) {
      const std::int32_t at = place(feature);
      const Bits* bits = at > 0 ? row_bits(at) : list_bits(at);
      const Real* next = at > 0 ? row(at) : list(at);
      for (int v = 0; v < layout_.packs; ++v)
        for (unsigned word = bits[v]; word != 0; word &= word - 1) {
          const int label = v * lanes_ + std::countr_zero(word);
          f(feature, std::int32_t(label), at > 0 ? next[label] : *next++);
        }
    }
  }

  void clear() {
    rows_.clear();
    for (std::int32_t place : places_)
      if (place < 0) std::fill_n(list(place), list_size(place), Real(0));
  }

  double squared_norm() const {
    double sum = 0;
    const auto add = [&](const Real* weights, std::int64_t count) {
      for (std::int64_t c = 0; c < count; ++c) sum += double(weights[c]) * double(weights[c]);
    };
    add(rows_.data(), std::int64_t(rows_.size()));
    for (std::int32_t place : places_)
      if (place < 0) add(list(place), list_size(place));
    return sum;
  }

 private:
  int list_size(std::int32_t place) const {
    int classes = 0;
    for (int v = 0; v < layout_.packs; ++v) classes += std::popcount(list_bits(place)[v]);
    return classes;
  }

  std::int64_t features_;
  ClassLayout layout_;
  int lanes_;
  int header_;                   // numbers that the bits of a list take
  std::vector<Bits> occurring_;  // of all features, until they are packed
  std::vector<std::int32_t> places_;
  std::int64_t size_ = 0;
  AlignedArray<Real> rows_;
  AlignedArray<Bits> row_bits_;
  AlignedArray<Real> lists_;
};

}  // namespace polymargin
