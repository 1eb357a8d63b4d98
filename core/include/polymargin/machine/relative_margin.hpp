// What Crammer-Singer and Weston-Watkins share. In both the dual block can be written as u_m >= 0,
// m != y, with w_y += (sum u) x and w_m -= u_m x, and both maximise sum u - 1/2 |W|^2. They differ
// in the feasible set alone: sum_m u_m <= C_i for Crammer-Singer, u_m <= C_i for Weston-Watkins.
// In DESIGN terms a_m = -u_m and a_y = sum u for cs, a_m = u_m for ww.
#pragma once

#include <array>
#include <type_traits>

#include "polymargin/machine/machine.hpp"

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

// A block seen through packs: which lane is the label and which lanes hold a class.
template <class Real, int Bytes, int Packs>
struct BlockLanes {
  using V = Pack<Real, Bytes>;
  using I = PackInt<Real, Bytes>;
  static constexpr int kLanes = Bytes / int(sizeof(Real));

  explicit BlockLanes(const Block<Real>& block)
      : block(block), packs(Packs > 0 ? Packs : block.layout.packs) {}

  I numbers(int v) const { return lane_numbers<Real, Bytes>() + std::int32_t(v * kLanes); }
  I is_label(int v) const { return numbers(v) == I{} + block.label; }
  I is_class(int v) const { return numbers(v) < I{} + block.layout.classes; }

  // h_m = 1 + s_m - s_y, the derivative of the dual objective by u_m (000, eq. (17), negated);
  // kNowhere in the label's lane and in lanes without a class.
  V margin_violation(int v) const {
    const V h = load<V>(block.score + v * kLanes) + (Real(1) - block.score[block.label]);
    const I usable = is_class(v) & ~is_label(v);
    return usable ? h : V{} + kNowhere<Real>;
  }
  V dual(int v) const { return load<V>(block.dual + v * kLanes); }
  auto local(int which) const {
    return local_packs<V, Packs>(block.workspace, block.layout.stride * int(sizeof(Real)), which);
  }
  // Writes the new block and the change of the weights: w_m -= du_m x, w_y += (sum du) x.
  template <class Solution>
  void commit(const Solution& solution, Real sum_of_changes) const {
    for (int v = 0; v < packs; ++v) {
      const V delta = solution[v] - dual(v);
      store(block.change + v * kLanes, is_label(v) ? V{} + sum_of_changes : -delta);
      store(block.dual + v * kLanes, solution[v]);
    }
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
inline Step<Real> with_lanes(const Block<Real>& block, F&& f) {
  return with_pack_bytes(block.layout.bytes, [&](auto bytes) {
    return with_pack_count(block.layout.packs, [&](auto packs) {
      return f(BlockLanes<Real, bytes(), packs()>(block));
    });
  });
}

}  // namespace polymargin
