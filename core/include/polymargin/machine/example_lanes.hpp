// The blocks of many examples, class after class, as a machine may look at them: with an example in
// each lane. Margins are written once for these lanes and for those of one block.
#pragma once

#include <cstdint>
#include <type_traits>

#include "polymargin/base/simd.hpp"

namespace polymargin {

// Integers as wide as the numbers, so that labels can be compared lane by lane.
template <class Real>
using LaneInt = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

// Scores and duals of class m begin at m * stride; all arrays are aligned and padded to packs.
template <class Real>
struct ExampleBlocks {
  int classes;
  std::int64_t count, stride;
  const Real* scores;
  const Real* duals;
  const LaneInt<Real>* labels;
  const Real* loss_weights;
};

template <class Real>
struct ExampleLanes {
  using Number = Real;
  using V = Pack<Real, kNativeBytes>;
  using I = PackInt<Real, kNativeBytes>;
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));

  ExampleLanes(const ExampleBlocks<Real>& blocks, std::int64_t first)
      : blocks(blocks),
        first(first),
        packs(blocks.classes),
        labels(load<I>(blocks.labels + first)) {}

  int classes() const { return packs; }
  I is_label(int m) const { return labels == I{} + LaneInt<Real>(m); }
  I is_class(int) const { return labels == labels; }
  V score(int m) const { return load<V>(blocks.scores + m * blocks.stride + first); }
  V dual(int m) const { return load<V>(blocks.duals + m * blocks.stride + first); }
  V target(const Real* table, int stride, int m) const {
    V found{};
    for (int lane = 0; lane < kLanes; ++lane)
      found[lane] = table[std::int64_t(labels[lane]) * stride + m];
    return found;
  }
  V loss_weight() const { return load<V>(blocks.loss_weights + first); }
  V label_score() const {
    V found{};
    for (int m = 0; m < packs; ++m) found = is_label(m) ? score(m) : found;
    return found;
  }
  static V sum(V v) { return v; }  // over the classes, which are not lanes here

  const ExampleBlocks<Real>& blocks;
  const std::int64_t first;
  const int packs;  // one for each class
  const I labels;
};

// Calls f(lanes) for every pack of examples.
template <class Real, class F>
inline void for_each_example_pack(const ExampleBlocks<Real>& blocks, F&& f) {
  for (std::int64_t first = 0; first < blocks.count; first += ExampleLanes<Real>::kLanes)
    f(ExampleLanes<Real>(blocks, first));
}

}  // namespace polymargin
