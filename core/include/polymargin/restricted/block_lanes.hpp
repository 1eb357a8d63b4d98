// A block seen through packs: which lane is the label, which lanes hold a class, and sums over
// them.
#pragma once

#include <array>
#include <type_traits>

#include "polymargin/restricted/block.hpp"

namespace polymargin {

// `Packs` packs in registers, or an array in memory where their number is only known at run time.
template <class V, int Packs>
using LocalPacks = std::conditional_t<(Packs > 0), std::array<V, (Packs > 0 ? Packs : 1)>, V*>;

template <class V, int Packs>
inline LocalPacks<V, Packs> local_packs(void* workspace, int stride_bytes, int which) {
  if constexpr (Packs > 0)
    return {};
  else
    return reinterpret_cast<V*>(static_cast<char*>(workspace) + std::int64_t(which) * stride_bytes);
}

template <class Real, int Bytes, int Packs>
struct BlockLanes {
  using Number = Real;
  using V = Pack<Real, Bytes>;
  using I = PackInt<Real, Bytes>;
  static constexpr int kLanes = Bytes / int(sizeof(Real));

  explicit BlockLanes(const Block<Real>& block)
      : block(block), packs(Packs > 0 ? Packs : block.layout.packs) {}

  I numbers(int v) const { return lane_numbers<Real, Bytes>() + std::int32_t(v * kLanes); }
  I is_label(int v) const { return numbers(v) == I{} + block.label; }
  I is_class(int v) const { return numbers(v) < I{} + block.layout.classes; }

  int classes() const { return block.layout.classes; }
  Real label_score() const { return block.score[block.label]; }
  V score(int v) const { return load<V>(block.score + v * kLanes); }
  V dual(int v) const { return load<V>(block.dual + v * kLanes); }
  // From a table of targets by label and class; it is for blocks of all classes.
  V target(const Real* table, int stride, int v) const {
    const Real* row =
        block.targets != nullptr ? block.targets : table + std::int64_t(block.label) * stride;
    return load<V>(row + v * kLanes);
  }
  auto local(int which) const {
    return local_packs<V, Packs>(block.workspace, block.layout.stride * int(sizeof(Real)), which);
  }
  static Real sum(V v) { return sum_lanes<Real, Bytes>(v); }
  static Real max(V v) { return max_lanes<Real, Bytes>(v); }
  static Real min(V v) { return min_lanes<Real, Bytes>(v); }
  static int count(I mask) { return count_lanes<Real, Bytes>(mask); }

  const Block<Real>& block;
  const int packs;
};

// Calls f(BlockLanes) with the pack size and count of a block fixed at compile time.
template <class Real, class F>
inline decltype(auto) with_lanes(const Block<Real>& block, F&& f) {
  return with_pack_bytes(block.layout.bytes, [&](auto bytes) {
    return with_pack_count(block.layout.packs, [&](auto packs) {
      return f(BlockLanes<Real, bytes(), packs()>(block));
    });
  });
}

// The same with the count known at run time only: less code, for what is not fast anyway.
template <class Real, class F>
inline decltype(auto) with_lanes_in_memory(const Block<Real>& block, F&& f) {
  return with_pack_bytes(block.layout.bytes,
                         [&](auto bytes) { return f(BlockLanes<Real, bytes(), 0>(block)); });
}

}  // namespace polymargin
