// Class shrinking, for blocks of which only the non-zeros are stored: after a visit of all classes
// that has brought no new one into the support of the block, the next visits of that example look
// at its support alone; at more and more of them as this goes on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace polymargin {

class ClassShrinking {
 public:
  explicit ClassShrinking(std::size_t examples) : left_(examples), span_(examples) {}

  void set_on(bool on) { on_ = on; }

  // Whether this visit is one of the support alone, which is counted then.
  bool take(std::int32_t i) {
    if (!on_ || left_[i] == 0) return false;
    --left_[i];
    return true;
  }

  // A visit of all classes has brought a new one into the support, or none.
  void seen_all(std::int32_t i, bool entered) {
    if (!on_) return;
    span_[i] = std::uint8_t(entered ? 0 : std::min(2 * span_[i] + 1, kLongest));
    left_[i] = span_[i];
  }

  // The next visit of every example is one of all classes.
  void look_at_all() { std::fill(left_.begin(), left_.end(), std::uint8_t(0)); }

 private:
  static constexpr int kLongest = 15;

  bool on_ = false;
  std::vector<std::uint8_t> left_,
      span_;  // visits of the support: still to come, at the last count
};

}  // namespace polymargin
