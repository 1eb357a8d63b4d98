// What is known of an example, and the arrays in which its block is laid out for a machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "polymargin/access/dual_blocks.hpp"
#include "polymargin/machine/machine.hpp"

namespace polymargin {

// Rows shorter than this have no features for all practical purposes: weights cannot act on them.
template <class Real>
inline constexpr Real kEmptyCurvature = std::is_same_v<Real, float> ? Real(1e-30) : Real(1e-200);

template <class Real>
struct Example {
  Real curvature;    // A = |x|^2
  Real loss_weight;  // C_i
  Real loss;         // as last seen
  std::int32_t label;

  // Its scores are zero whatever W is, and so its loss is fixed.
  bool is_empty() const { return curvature < kEmptyCurvature<Real>; }
  // With weight zero it has no variables; those of an empty one do not matter.
  bool has_variables() const { return loss_weight > 0 && !is_empty(); }
};

// Aligned arrays for one visit at a time; one per thread. Makes the block that a machine sees.
template <class Real>
class Workspace {
 public:
  explicit Workspace(const ClassLayout& layout) : Workspace(layout.stride + kRoom) {}

  // Over all classes. Dense blocks are used where they are, sparse ones spread out here.
  Block<Real> full_block(const Example<Real>& example, DualBlocks<Real>& blocks, std::int64_t i,
                         const ClassLayout& layout) {
    Real* block = blocks.sparse() ? dual.data() : blocks.dense(i);
    if (blocks.sparse()) {
      for (const auto& entry : blocks.list(i)) block[entry.label] = entry.value;
      used_ = layout.stride;
    }
    return make_block(example, layout, example.label, block);
  }

  // Over the support of a sparse block and the label alone; `classes` lists them. `targets` are
  // those of all classes, if the machine has such by class.
  Block<Real> support_block(const Example<Real>& example,
                            const std::vector<typename DualBlocks<Real>::Entry>& list,
                            const Real* targets) {
    int count = 0, label = -1;
    const auto append = [&](std::int32_t name, Real value) {
      if (name == example.label) label = count;
      classes[count] = name;
      dual[count++] = value;
    };
    for (const auto& entry : list) {  // ascending, and the label in its place
      if (label < 0 && example.label >= 0 && example.label < entry.label) append(example.label, 0);
      append(entry.label, entry.value);
    }
    if (label < 0 && example.label >= 0) append(example.label, 0);
    const ClassLayout layout = ClassLayout::of<Real>(count);
    used_ = layout.stride;
    Block<Real> block = make_block(example, layout, label, dual.data());
    if (targets != nullptr) {
      if (listed_targets_.size() == 0) listed_targets_.resize(dual.size());
      for (int c = 0; c < count; ++c) listed_targets_[c] = targets[classes[c]];
      block.targets = listed_targets_.data();
    }
    return block;
  }

  // The non-zeros of a block; valid until the next block is made here.
  BlockEntries<Real> entries(const Example<Real>& example, const DualBlocks<Real>& blocks,
                             std::int64_t i, const ClassLayout& layout) {
    int count = 0;
    blocks.for_each(i, [&](std::int32_t m, Real u) {
      classes[count] = m;
      change[count++] = u;
    });
    return {layout.classes, example.label,  example.loss_weight,
            count,          classes.data(), change.data()};
  }

  // After a visit: the next one finds zeros again.
  void clear_dual() {
    std::fill_n(dual.data(), used_, Real(0));
    used_ = 0;
  }

  AlignedArray<Real> score, dual, change, arrays;
  AlignedArray<std::int32_t> classes;

 private:
  static constexpr int kRoom = 64;  // a support block may be padded further than a full one

  explicit Workspace(int size)
      : score(size),
        dual(size),
        change(size),
        arrays(std::size_t(size) * kWorkspaceArrays),
        classes(size) {}

  Block<Real> make_block(const Example<Real>& example, const ClassLayout& layout, int label,
                         Real* block) {
    return {layout,       label, example.curvature, example.loss_weight,
            score.data(), block, change.data(),     arrays.data()};
  }

  int used_ = 0;
  AlignedArray<Real> listed_targets_;
};

}  // namespace polymargin
