// The products of rows and packed weights: the features stored as whole rows, as in rows.hpp, and
// those in lists, one class after the other. Which are which is found out first, without branches.
#pragma once

#include <algorithm>

#include "polymargin/access/packed_weights.hpp"
#include "polymargin/base/lane_bits.hpp"

namespace polymargin {

// Some of the values of a row, with the places of their features: those in whole rows, and those in
// lists.
template <class Real>
struct PlacedValues {
  static constexpr int kMost = 256;
  struct Value {
    std::int32_t place;
    Real value;
  };
  Value whole[kMost], listed[kMost];
  int wholes, lists;
};

// Calls f(PlacedValues) until all values of a row and its bias have been there.
template <class Real, class Row, class F>
[[gnu::always_inline]] inline void for_each_part(const Row& row, const PackedWeights<Real>& w,
                                                 Real bias, F&& f) {
  constexpr int kMost = PlacedValues<Real>::kMost;
  const std::int64_t size = row.size + (bias != 0);
  PlacedValues<Real> part;
  for (std::int64_t begin = 0; begin < size; begin += kMost) {
    int wholes = 0, lists = 0;
    const auto note = [&](std::int32_t place, Real value) __attribute__((always_inline)) {
      part.whole[wholes].place = part.listed[lists].place = place;
      part.whole[wholes].value = part.listed[lists].value = value;
      wholes += place >= 0;
      lists += place < 0;
    };
    const std::int64_t end = std::min(begin + kMost, row.size);
    for (std::int64_t p = begin; p < end; ++p) note(w.place(row.feature(p)), row.value(p));
    if (end - begin < kMost && bias != 0) note(w.place(w.features() - 1), bias);
    part.wholes = wholes;
    part.lists = lists;
    f(part);
  }
}

// Adds to the scores of one register tile of classes.
template <class Real, int Bytes, int Tile>
inline void score_tile(const PlacedValues<Real>& part, const PackedWeights<Real>& w, int first_pack,
                       Real* scores) {
  using V = Pack<Real, Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(Real));
  constexpr int kFeatures = Tile >= 4 ? 1 : Tile >= 2 ? 2 : 4;
  V sums[kFeatures][Tile] = {};
  const auto add = [&](int p, V* to) __attribute__((always_inline)) {
    const Real* weights = w.row(part.whole[p].place) + first_pack * kLanes;
#pragma GCC unroll 8
    for (int t = 0; t < Tile; ++t) to[t] += part.whole[p].value * load<V>(weights + t * kLanes);
  };
  int p = 0;
  for (; p + kFeatures <= part.wholes; p += kFeatures) {
#pragma GCC unroll 4
    for (int f = 0; f < kFeatures; ++f) add(p + f, sums[f]);
  }
  for (; p < part.wholes; ++p) add(p, sums[0]);
#pragma GCC unroll 8
  for (int t = 0; t < Tile; ++t) {
    Real* score = scores + (first_pack + t) * kLanes;
    V sum = sums[0][t];
    for (int f = 1; f < kFeatures; ++f) sum += sums[f][t];
    store(score, load<V>(score) + sum);
  }
}

template <class Real, int Bytes, int Tile>
inline void add_tile(const PlacedValues<Real>& part, PackedWeights<Real>& w, int first_pack,
                     const Real* coefficients) {
  using V = Pack<Real, Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(Real));
  V change[Tile];
#pragma GCC unroll 8
  for (int t = 0; t < Tile; ++t) change[t] = load<V>(coefficients + (first_pack + t) * kLanes);
  for (int p = 0; p < part.wholes; ++p) {
    const auto [place, value] = part.whole[p];
    const std::uint16_t* bits = w.row_bits(place) + first_pack;
    Real* weights = w.row(place) + first_pack * kLanes;
#pragma GCC unroll 8
    for (int t = 0; t < Tile; ++t)
      store(weights + t * kLanes,
            load<V>(weights + t * kLanes) + value * keep_lanes<Real, Bytes>(change[t], bits[t]));
  }
}

// Calls f(entry, value) for the entries of all lists whose classes are in packs [first, last).
template <class Real, class W, class F>
[[gnu::always_inline]] inline void for_each_entry(const PlacedValues<Real>& part, W& w, int first,
                                                  int last, F&& f) {
  const unsigned begin = unsigned(first * w.lanes()), count = unsigned((last - first) * w.lanes());
  for (int p = 0; p < part.lists; ++p)
    for (auto& entry : w.list(part.listed[p].place))
      if (unsigned(entry.label) - begin < count) f(entry, part.listed[p].value);
}

// The four products of Rows.
template <class Real, class Row>
inline void packed_scores(const Row& row, const PackedWeights<Real>& w, Real bias, Real* scores,
                          int first, int last) {
  std::fill(scores + first * w.lanes(), scores + last * w.lanes(), Real(0));
  for_each_part(row, w, bias, [&](const PlacedValues<Real>& part) {
    with_pack_bytes(w.layout().bytes, [&](auto bytes) {
      for_each_tile(first, last, [&](auto tile, int first_pack) {
        score_tile<Real, bytes(), tile()>(part, w, first_pack, scores);
      });
    });
    for_each_entry(part, w, first, last, [&](const auto& entry, Real value) {
      scores[entry.label] += value * entry.weight;
    });
  });
}

template <class Real, class Row>
inline void packed_add(const Row& row, PackedWeights<Real>& w, Real bias, const Real* coefficients,
                       int first, int last) {
  for_each_part(row, w, bias, [&](const PlacedValues<Real>& part) {
    with_pack_bytes(w.layout().bytes, [&](auto bytes) {
      for_each_tile(first, last, [&](auto tile, int first_pack) {
        add_tile<Real, bytes(), tile()>(part, w, first_pack, coefficients);
      });
    });
    for_each_entry(part, w, first, last, [&](auto& entry, Real value) {
      entry.weight += value * coefficients[entry.label];
    });
  });
}

// Calls f(slots, numbers): slot c + 1 is that of classes[c], slot 0 that of the classes that are
// not listed.
template <class Real, class F>
inline void with_slots(const PackedWeights<Real>& w, const std::int32_t* classes, int count,
                       F&& f) {
  auto& [slots, numbers] = w.scratch();
  for (int c = 0; c < count; ++c) slots[classes[c]] = c + 1;
  f(slots.data(), numbers.data());
  for (int c = 0; c < count; ++c) slots[classes[c]] = 0;
}

template <class Real, class Row>
inline void packed_scores_of(const Row& row, const PackedWeights<Real>& w, Real bias,
                             const std::int32_t* classes, int count, Real* scores) {
  with_slots(w, classes, count, [&](const std::int32_t* slots, Real* sums) {
    std::fill_n(sums, count + 1, Real(0));
    for_each_part(row, w, bias, [&](const PlacedValues<Real>& part) {
      for (int p = 0; p < part.wholes; ++p) {
        const Real* weights = w.row(part.whole[p].place);
        for (int c = 0; c < count; ++c) sums[c + 1] += part.whole[p].value * weights[classes[c]];
      }
      for_each_entry(part, w, 0, w.layout().packs, [&](const auto& entry, Real value) {
        sums[slots[entry.label]] += value * entry.weight;
      });
    });
    std::copy_n(sums + 1, count, scores);
  });
}

template <class Real, class Row>
inline void packed_add_to(const Row& row, PackedWeights<Real>& w, Real bias,
                          const std::int32_t* classes, int count, const Real* coefficients) {
  with_slots(w, classes, count, [&](const std::int32_t* slots, Real* changes) {
    changes[0] = 0;
    std::copy_n(coefficients, count, changes + 1);
    for_each_part(row, w, bias, [&](const PlacedValues<Real>& part) {
      for (int p = 0; p < part.wholes; ++p) {
        const auto [place, value] = part.whole[p];
        for (int c = 0; c < count; ++c)
          w.row(place)[classes[c]] += w.occurs(place, classes[c]) ? value * coefficients[c] : 0;
      }
      for_each_entry(part, w, 0, w.layout().packs, [&](auto& entry, Real value) {
        entry.weight += value * changes[slots[entry.label]];
      });
    });
  });
}

}  // namespace polymargin
