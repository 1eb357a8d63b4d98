// The variables of support patterns that are not zero, with their gradients: by class, for sums
// over all patterns, and by pattern. Patterns live at places, small numbers that are used again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "polymargin/access/support_pairs.hpp"

namespace polymargin {

// The support patterns of one class: at places[p], beta = coefficients[p] and g = gradients[p].
struct SupportColumn {
  std::vector<std::int32_t> places;
  std::vector<double> coefficients, gradients;

  std::int64_t size() const { return std::int64_t(places.size()); }

  // sum_j beta_j k(x_j, x), where row[j] = k(x_j, x).
  template <class Real>
  double score(const Real* row) const {
    constexpr int kLanes = 8;
    double sums[kLanes] = {};
    std::int64_t p = 0;
    for (; p + kLanes <= size(); p += kLanes)
      for (int lane = 0; lane < kLanes; ++lane)
        sums[lane] += coefficients[p + lane] * double(row[places[p + lane]]);
    double sum = 0;
    for (; p < size(); ++p) sum += coefficients[p] * double(row[places[p]]);
    for (double part : sums) sum += part;
    return sum;
  }

  // The variable of a pattern grows by `length`: (5) of 001.
  template <class Real>
  void update_gradients(const Real* row, double length) {
    const std::int32_t* const at = places.data();
    double* const gradient = gradients.data();
    const std::int64_t count = size();
    for (std::int64_t p = 0; p < count; ++p) gradient[p] -= length * double(row[at[p]]);
  }
};

class SupportClasses {
 public:
  // A support class of a pattern, and where it is in its column.
  struct Entry {
    std::int32_t label, at;
  };

  explicit SupportClasses(int classes) : columns_(classes) {}

  int classes() const { return int(columns_.size()); }
  void grow(std::int64_t places) { entries_.resize(places); }

  SupportColumn& column(std::int32_t label) { return columns_[label]; }
  const SupportColumn& column(std::int32_t label) const { return columns_[label]; }
  const SupportPairs& pairs() const { return pairs_; }
  // In the order of their labels.
  std::span<const Entry> entries(std::int32_t place) const { return entries_[place]; }
  double coefficient(Entry entry) const { return column(entry.label).coefficients[entry.at]; }
  double gradient(Entry entry) const { return column(entry.label).gradients[entry.at]; }

  // Null if it is not a support class of the pattern.
  const Entry* find(std::int32_t place, std::int32_t label) const {
    for (const Entry& entry : entries_[place])
      if (entry.label == label) return &entry;
    return nullptr;
  }

  // Of two classes that are support classes of a pattern. All entries are read, without a branch
  // that would be guessed wrong.
  std::pair<Entry, Entry> find_both(std::int32_t place, std::int32_t first,
                                    std::int32_t second) const {
    Entry one{first, 0}, other{second, 0};
    for (const Entry& entry : entries_[place]) {
      one.at = entry.label == first ? entry.at : one.at;
      other.at = entry.label == second ? entry.at : other.at;
    }
    return {one, other};
  }

  void add(std::int32_t place, std::int32_t label, double coefficient, double gradient) {
    SupportColumn& column = columns_[label];
    auto& own = entries_[place];
    for (const Entry& other : own) pairs_.add(place, label, other.label);
    const auto next = std::find_if(own.begin(), own.end(),
                                   [&](const Entry& other) { return other.label > label; });
    own.insert(next, {label, std::int32_t(column.size())});
    column.places.push_back(place);
    column.coefficients.push_back(coefficient);
    column.gradients.push_back(gradient);
  }

  // The last of the column takes its position.
  void remove(std::int32_t place, std::int32_t label) {
    auto& own = entries_[place];
    const auto entry = std::find_if(own.begin(), own.end(),
                                    [&](const Entry& other) { return other.label == label; });
    SupportColumn& column = columns_[label];
    const std::int32_t at = entry->at, moved = column.places.back();
    own.erase(entry);
    for (const Entry& other : own) pairs_.remove(place, label, other.label);
    const auto take_last = [&](auto& values) {
      values[at] = values.back();
      values.pop_back();
    };
    take_last(column.places);
    take_last(column.coefficients);
    take_last(column.gradients);
    if (moved != place)
      for (Entry& other : entries_[moved])
        if (other.label == label) other.at = at;
  }

 private:
  std::vector<SupportColumn> columns_;
  SupportPairs pairs_;
  std::vector<std::vector<Entry>> entries_;  // by place
};

}  // namespace polymargin
