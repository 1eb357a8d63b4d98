// Rows of a matrix of kernel values, with some of its columns. A row is gathered when it is first
// asked for, so that loops over the columns run over whole packs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polymargin/base/simd.hpp"

namespace polymargin {

// The kernel between all examples, row after row. Rows are padded with zeros to whole packs.
template <class Real>
struct GramMatrix {
  const Real* values;
  std::int64_t size, stride;

  const Real* row(std::int32_t i) const { return values + std::int64_t(i) * stride; }
  Real diagonal(std::int32_t i) const { return row(i)[i]; }
};

template <class Real>
class GramRows {
 public:
  static constexpr std::int64_t kLanes = kNativeBytes / std::int64_t(sizeof(Real));
  static std::int64_t padded(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  // There is room for so many values, and always for two rows.
  GramRows(const GramMatrix<Real>& gram, double room) : gram_(gram), room_(room) {}

  // From now on rows have these columns, and what is behind them is not to be looked at.
  void choose(std::span<const std::int32_t> columns) {
    columns_.assign(columns.begin(), columns.end());
    whole_ = std::int64_t(columns.size()) == gram_.size;  // ascending
    length_ = std::max(padded(std::int64_t(columns.size())), kLanes);
    runs_.clear();
    for (std::int32_t first = 0, last; first < std::int32_t(columns.size()); first = last) {
      for (last = first + 1; last < std::int32_t(columns.size()); ++last)
        if (columns[last] != columns[last - 1] + 1) break;
      runs_.push_back({columns[first], last - first});
    }
    in_runs_ = runs_.size() * kLongRun <= columns.size();
    rows_.assign(columns.size(), nullptr);
    for (Half& half : halves_) half.clear();
  }

  // The row of the example in column c, which is there until another is asked for.
  const Real* row(std::int32_t c) {
    if (whole_) return gram_.row(c);
    if (rows_[c] == nullptr) gather(c);
    return rows_[c];
  }

  // Two rows, both of them there until others are asked for: the first may make the second leave,
  // but what was gathered last stays.
  std::array<const Real*, 2> pair(std::int32_t a, std::int32_t b) {
    row(b);
    const Real* const first = row(a);
    return {first, row(b)};
  }

 private:
  static constexpr std::size_t kLongRun = 8;
  static constexpr std::int64_t kBlock = std::int64_t(1) << 17;
  struct Run {
    std::int32_t first, count;
  };

  // Half of the room. When one is full, the rows in the other, which are older, are forgotten.
  struct Half {
    std::vector<std::unique_ptr<Real[]>> blocks;
    std::int64_t size = 0;              // of a block
    std::vector<std::int32_t> members;  // columns whose rows are here

    void clear() { members.clear(); }

    // Where the next row is to be.
    Real* place(std::int64_t length) {
      if (length > size) {
        blocks.clear();
        size = std::max(kBlock, length);
      }
      const std::int64_t in_a_block = size / length, at = std::int64_t(members.size());
      if (at / in_a_block >= std::int64_t(blocks.size()))
        blocks.push_back(std::make_unique_for_overwrite<Real[]>(size));
      return blocks[at / in_a_block].get() + at % in_a_block * length;
    }
  };

  void gather(std::int32_t c) {
    const double used = double(std::int64_t(halves_[0].members.size()) * length_);
    if (!halves_[0].members.empty() && used + double(length_) > room_ / 2) {
      std::swap(halves_[0], halves_[1]);
      for (std::int32_t member : halves_[0].members) rows_[member] = nullptr;
      halves_[0].clear();
    }
    const Real* from = gram_.row(columns_[c]);
    Real* const row = halves_[0].place(length_);
    Real* to = row;
    if (in_runs_) {
      for (const Run& run : runs_) to = std::copy_n(from + run.first, run.count, to);
    } else {
      for (std::int32_t column : columns_) *to++ = from[column];
    }
    std::fill(to, row + length_, Real(0));
    rows_[c] = row;
    halves_[0].members.push_back(c);
  }

  GramMatrix<Real> gram_;
  double room_;
  std::vector<std::int32_t> columns_;
  bool whole_ = false, in_runs_ = false;
  std::vector<Run> runs_;  // of columns one after the other
  std::int64_t length_ = 0;
  std::vector<const Real*> rows_;  // by column; null if it is not there
  Half halves_[2];
};

}  // namespace polymargin
