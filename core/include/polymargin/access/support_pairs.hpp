// Which patterns have two classes as support classes, for every pair of classes that occurs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace polymargin {

class SupportPairs {
 public:
  // In ascending order, so that it does not matter how they came there.
  std::span<const std::int32_t> places(std::int32_t first, std::int32_t second) const {
    const auto found = lists_.find(key(first, second));
    if (found == lists_.end()) return {};
    return found->second;
  }

  void add(std::int32_t place, std::int32_t first, std::int32_t second) {
    auto& list = lists_[key(first, second)];
    list.insert(std::lower_bound(list.begin(), list.end(), place), place);
  }
  void remove(std::int32_t place, std::int32_t first, std::int32_t second) {
    const auto found = lists_.find(key(first, second));
    auto& list = found->second;
    list.erase(std::lower_bound(list.begin(), list.end(), place));
    if (list.empty()) lists_.erase(found);
  }

 private:
  static std::uint64_t key(std::int32_t first, std::int32_t second) {
    const auto [low, high] = std::minmax(first, second);
    return std::uint64_t(low) << 32 | std::uint32_t(high);
  }

  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> lists_;
};

}  // namespace polymargin
