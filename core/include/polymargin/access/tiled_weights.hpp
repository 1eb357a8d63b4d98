// Weights of many classes, most of which never meet most features. Classes come in tiles of 16,
// like ones together. The weights of a feature for a tile lie side by side; there is room for them
// once they are written to, until then they are zero. Every row sees the classes of a few tiles
// alone, its own, which are numbered from zero: those of its first tile, of its second and so on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

inline constexpr int kTileClasses = 16;

template <class Real>
class TiledWeights {
 public:
  static constexpr bool kReduced = false;
  static constexpr bool kWhole = false;

  // `order`: all classes, tile after tile; the last may be shorter. `tiles`: those of each row,
  // ascending, as many for each as `layout` has room for.
  TiledWeights(std::int64_t features, const ClassLayout& layout, std::vector<std::int32_t> order,
               std::vector<std::int32_t> tiles)
      : features_(features),
        layout_(layout),
        order_(std::move(order)),
        tiles_a_row_((layout.classes + kTileClasses - 1) / kTileClasses),
        tiles_(std::move(tiles)),
        tables_(features) {}

  std::int64_t features() const { return features_; }
  const ClassLayout& layout() const { return layout_; }  // of the classes that a row sees
  std::int64_t columns() const { return std::int64_t(order_.size()); }  // of all classes

  std::span<const std::int32_t> tiles_of(std::int64_t row) const {
    return {tiles_.data() + row * tiles_a_row_, std::size_t(tiles_a_row_)};
  }
  int tiles_a_row() const { return tiles_a_row_; }
  // How many classes a tile has.
  int width(std::int32_t tile) const {
    return int(std::min<std::int64_t>(columns() - std::int64_t(tile) * kTileClasses, kTileClasses));
  }

  // The weights of a tile, null if they are zero.
  const Real* find(std::int64_t feature, std::int32_t tile) const {
    const Table& table = tables_[feature];
    if (table.slots.empty()) return nullptr;
    const Slot& slot = table.slots[table.place(tile)];
    return slot.tile == kNone ? nullptr : line(slot.line);
  }

  Real* find_or_make(std::int64_t feature, std::int32_t tile) {
    Table& table = tables_[feature];
    if (4 * (table.used + 1) > 3 * table.slots.size()) table.grow();
    Slot& slot = table.slots[table.place(tile)];
    if (slot.tile == kNone) {
      slot = {tile, make_line()};
      ++table.used;
    }
    return line(slot.line);
  }

  // Keeps its room.
  void clear() {
    for (AlignedArray<Real>& lines : lines_) lines.clear();
  }

  double squared_norm() const {
    double sum = 0;
    for (const AlignedArray<Real>& lines : lines_)
      for (std::size_t p = 0; p < lines.size(); p += kTileClasses) {
        double part = 0;
        for (int lane = 0; lane < kTileClasses; ++lane)
          part += double(lines.data()[p + lane]) * double(lines.data()[p + lane]);
        sum += part;
      }
    return sum;
  }

  // Calls f(feature, class, weight) for the weights that are not zero, feature by feature.
  template <class F>
  void for_each_pair(F&& f) const {
    for (std::int64_t feature = 0; feature < features_; ++feature)
      for (const Slot& slot : tables_[feature].slots)
        if (slot.tile != kNone)
          for (int lane = 0; lane < kTileClasses; ++lane)
            if (const Real weight = line(slot.line)[lane]; weight != 0)
              f(feature, order_[slot.tile * kTileClasses + lane], weight);
  }

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::int32_t kLinesAtOnce = 4096;

  struct Slot {
    std::int32_t tile, line;
  };
  // Of a feature: a hash table of its tiles with open addressing, at most three quarters full.
  struct Table {
    std::vector<Slot> slots;
    std::size_t used = 0;

    // Where a tile is, or where it would come.
    std::size_t place(std::int32_t tile) const {
      // The product with the golden ratio, as a share of the slots.
      const std::uint64_t hash = std::uint32_t(tile) * std::uint32_t(2654435769u);
      std::size_t at = std::size_t(hash * slots.size() >> 32);
      while (slots[at].tile != tile && slots[at].tile != kNone)
        if (++at == slots.size()) at = 0;
      return at;
    }

    void grow() {
      const std::size_t size = std::max<std::size_t>(4, slots.size() * 3 / 2);
      const auto old = std::exchange(slots, std::vector<Slot>(size, Slot{kNone, 0}));
      for (const Slot& slot : old)
        if (slot.tile != kNone) slots[place(slot.tile)] = slot;
    }
  };

  // Lines never move.
  Real* line(std::int32_t number) {
    return lines_[number / kLinesAtOnce].data() + number % kLinesAtOnce * kTileClasses;
  }
  const Real* line(std::int32_t number) const {
    return const_cast<TiledWeights*>(this)->line(number);
  }
  std::int32_t make_line() {
    if (made_ == std::numeric_limits<std::int32_t>::max())
      throw std::length_error("there are too many weights; choose fewer candidates");
    if (made_ % kLinesAtOnce == 0) lines_.emplace_back(std::size_t(kLinesAtOnce) * kTileClasses);
    return made_++;
  }

  std::int64_t features_;
  ClassLayout layout_;
  std::vector<std::int32_t> order_;
  int tiles_a_row_;
  std::vector<std::int32_t> tiles_;
  std::vector<Table> tables_;
  std::vector<AlignedArray<Real>> lines_;
  std::int32_t made_ = 0;
};

}  // namespace polymargin
