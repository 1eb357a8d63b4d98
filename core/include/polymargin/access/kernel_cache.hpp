// Kernel rows k(x_i, .), one per example, in a bounded number of bytes: the row that was used
// longest ago makes room. All rows have the same columns, which can be thinned out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "polymargin/base/simd.hpp"

namespace polymargin {

template <class Real>
class KernelCache {
 public:
  // Rows of `length` columns for `examples` examples; there is always room for two.
  KernelCache(std::int64_t examples, std::int64_t length, std::int64_t bytes)
      : bytes_(bytes), rows_(examples), before_(examples + 1), after_(examples + 1) {
    clear(length);
  }

  std::int64_t length() const { return length_; }
  // Rows that fit, and rows that are there.
  std::int64_t capacity() const {
    const std::int64_t fit = bytes_ / (padded() * std::int64_t(sizeof(Real)));
    return std::clamp<std::int64_t>(fit, 2, std::max<std::int64_t>(2, std::int64_t(rows_.size())));
  }
  std::int64_t size() const { return size_; }

  // Null if the row is not there; otherwise it is now the one used last.
  const Real* find(std::int32_t i) {
    if (!rows_[i]) return nullptr;
    unlink(i);
    link(i);
    return rows_[i].get();
  }

  // Rows that are there, the one used last at the end.
  std::vector<std::int32_t> in_order_of_use() const {
    std::vector<std::int32_t> order;
    for (std::int32_t i = after_[end()]; i != end(); i = after_[i]) order.push_back(i);
    return order;
  }

  // The row as it is, without counting this as a use.
  Real* at(std::int32_t i) { return rows_[i].get(); }

  // Room for a row that is not there, to be filled by the caller.
  Real* insert(std::int32_t i) {
    if (size_ >= capacity()) {
      const std::int32_t oldest = after_[end()];
      unlink(oldest);
      rows_[i] = std::move(rows_[oldest]);
    } else {
      rows_[i] = make_row();
      ++size_;
    }
    link(i);
    return rows_[i].get();
  }

  // A row that is there makes room.
  void forget(std::int32_t i) {
    unlink(i);
    rows_[i].reset();
    --size_;
  }

  // Keeps the listed columns of every row, in this order.
  void keep_columns(std::span<const std::int32_t> kept) {
    length_ = std::int64_t(kept.size());
    for (auto& row : rows_) {
      if (!row) continue;
      auto shorter = make_row();
      for (std::size_t c = 0; c < kept.size(); ++c) shorter[c] = row[kept[c]];
      row = std::move(shorter);
    }
  }

  // Puts the first columns of every row into another order: column c is what order[c] was.
  void reorder(std::span<const std::int32_t> order) {
    std::vector<Real> old(order.size());
    for (auto& row : rows_) {
      if (!row) continue;
      std::copy_n(row.get(), old.size(), old.begin());
      for (std::size_t c = 0; c < old.size(); ++c) row[c] = old[order[c]];
    }
  }

  // Room for more examples and columns. Rows keep their first columns; those used longest ago are
  // forgotten if the longer rows do not find room.
  void grow(std::int64_t examples, std::int64_t length) {
    const std::vector<std::int32_t> kept = in_order_of_use();
    rows_.resize(examples);
    before_.resize(examples + 1);
    after_.resize(examples + 1);
    before_[end()] = after_[end()] = end();
    const std::int64_t old = std::exchange(length_, length);
    const std::int64_t surplus = std::max<std::int64_t>(std::int64_t(kept.size()) - capacity(), 0);
    size_ = std::int64_t(kept.size()) - surplus;
    for (std::int64_t p = 0; p < surplus; ++p) rows_[kept[p]].reset();
    for (std::size_t p = surplus; p < kept.size(); ++p) {
      auto longer = make_row();
      std::copy_n(rows_[kept[p]].get(), old, longer.get());
      std::fill(longer.get() + old, longer.get() + length, Real(0));
      rows_[kept[p]] = std::move(longer);
      link(kept[p]);
    }
  }

  // Forgets all rows; the next ones have `length` columns.
  void clear(std::int64_t length) {
    for (auto& row : rows_) row.reset();
    before_[end()] = after_[end()] = end();
    size_ = 0;
    length_ = length;
  }

 private:
  // Rows are read in whole packs, beyond their end.
  std::int64_t padded() const { return (length_ / kPadding + 1) * kPadding; }
  std::unique_ptr<Real[]> make_row() const {
    auto row = std::make_unique_for_overwrite<Real[]>(padded());
    std::fill(row.get() + length_, row.get() + padded(), Real(0));
    return row;
  }

  // The list of uses is a ring: after its end comes the row used longest ago.
  std::int32_t end() const { return std::int32_t(rows_.size()); }
  void link(std::int32_t i) {
    const std::int32_t last = before_[end()];
    after_[last] = i;
    before_[i] = last;
    after_[i] = end();
    before_[end()] = i;
  }
  void unlink(std::int32_t i) {
    after_[before_[i]] = after_[i];
    before_[after_[i]] = before_[i];
  }

  static constexpr std::int64_t kPadding = kNativeBytes / std::int64_t(sizeof(Real));

  std::int64_t bytes_, length_ = 0, size_ = 0;
  std::vector<std::unique_ptr<Real[]>> rows_;
  std::vector<std::int32_t> before_, after_;
};

}  // namespace polymargin
