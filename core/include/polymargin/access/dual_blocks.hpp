// The dual variables, one block of k per example. Up to kDenseClasses classes they are rows of an
// array; above that only the non-zeros are kept, so memory follows the support and not n times k.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

inline constexpr int kDenseClasses = 64;

template <class Real>
class DualBlocks {
 public:
  struct Entry {
    std::int32_t label;
    Real value;
  };

  // `filled`: nearly all variables end above zero, and a list of the others would save nothing.
  // `padded`: dense blocks are whole packs. `listed`: lists even of few classes.
  DualBlocks(std::int64_t examples, const ClassLayout& layout, bool filled = false,
             bool padded = true, bool listed = false)
      : examples_(examples),
        layout_(layout),
        sparse_((layout.classes > kDenseClasses || listed) && !filled),
        stride_(padded ? layout.stride : layout.classes) {
    if (sparse_)
      lists_.resize(examples);
    else
      array_.resize(std::size_t(examples) * stride_);
  }

  std::int64_t examples() const { return examples_; }
  bool sparse() const { return sparse_; }

  // Dense storage only: the block itself.
  Real* dense(std::int64_t i) { return array_.data() + i * stride_; }
  // Sparse storage only: the non-zeros of the block, in ascending order of class.
  const std::vector<Entry>& list(std::int64_t i) const { return lists_[i]; }

  void prefetch(std::int64_t i) const {
    if (sparse_)
      __builtin_prefetch(&lists_[i]);
    else
      __builtin_prefetch(array_.data() + i * stride_);
  }

  // The same, one step later: what a sparse block points to.
  void prefetch_entries(std::int64_t i) const {
    if (sparse_) __builtin_prefetch(lists_[i].data());
  }

  // Sparse storage only: replaces a block by the non-zeros of a padded array over all classes.
  void assign(std::int64_t i, const Real* block) {
    auto& list = lists_[i];
    list.clear();
    for_each_nonzero(block, layout_.stride, [&](int m) { list.push_back({m, block[m]}); });
    give_back(list);
  }

  // Sparse storage only: the same for listed classes.
  void assign(std::int64_t i, const Real* block, const std::int32_t* classes, int count) {
    auto& list = lists_[i];
    list.clear();
    for (int c = 0; c < count; ++c)
      if (block[c] != 0) list.push_back({classes[c], block[c]});
    give_back(list);
  }

  // Sparse storage only: the same for some of the classes, the others stay as they are.
  void merge(std::int64_t i, const Real* block, const std::int32_t* classes, int count) {
    std::vector<Entry> merged;
    int c = 0;
    const auto append_below = [&](std::int32_t end) {
      for (; c < count && classes[c] < end; ++c)
        if (block[c] != 0) merged.push_back({classes[c], block[c]});
    };
    for (const Entry& entry : lists_[i]) {
      append_below(entry.label);
      if (c == count || classes[c] != entry.label) merged.push_back(entry);
    }
    append_below(layout_.classes);
    lists_[i] = std::move(merged);
  }

  // Calls f(class, value) for the non-zeros of a block, in ascending order of class.
  template <class F>
  void for_each(std::int64_t i, F&& f) const {
    if (sparse_) {
      for (const Entry& entry : lists_[i]) f(entry.label, entry.value);
    } else {
      const Real* block = array_.data() + i * stride_;
      if (stride_ * sizeof(Real) % kNativeBytes == 0)
        return for_each_nonzero(block, int(stride_), [&](int m) { f(std::int32_t(m), block[m]); });
      for (int m = 0; m < layout_.classes; ++m)
        if (block[m] != 0) f(std::int32_t(m), block[m]);
    }
  }

  bool empty(std::int64_t i) const {
    bool none = true;
    for_each(i, [&](std::int32_t, Real) { none = false; });
    return none;
  }

  // Replaces a block by listed non-zeros, in ascending order of class.
  void set(std::int64_t i, const std::vector<Entry>& entries) {
    if (sparse_) {
      lists_[i] = entries;
    } else {
      std::fill_n(dense(i), stride_, Real(0));
      for (const Entry& entry : entries) dense(i)[entry.label] = entry.value;
    }
  }

 private:
  // Blocks shrink for good as training goes on.
  static void give_back(std::vector<Entry>& list) {
    if (list.capacity() > 2 * list.size() + 4) list.shrink_to_fit();
  }

  std::int64_t examples_;
  ClassLayout layout_;
  bool sparse_;
  std::int64_t stride_;  // from one dense block to the next
  AlignedArray<Real> array_;
  std::vector<std::vector<Entry>> lists_;
};

}  // namespace polymargin
