// The labels of examples that may have several of them, or none.
//
// Where classes do not meet (one-vs-rest), a class that is a label differs from one that is not by
// the sign of its score alone. So a machine sees blocks without a label, of the scores -Y_m s_m:
// scores of labels change their sign on the way in, coefficients of labels on the way out.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace polymargin {

class LabelSets {
 public:
  // The labels of example i, ascending, are classes[starts[i]] to classes[starts[i + 1] - 1].
  LabelSets(std::vector<std::int64_t> starts, std::vector<std::int32_t> classes)
      : starts_(std::move(starts)), classes_(std::move(classes)) {}

  std::span<const std::int32_t> of(std::int64_t i) const {
    return {classes_.data() + starts_[i], std::size_t(starts_[i + 1] - starts_[i])};
  }

  // Of numbers of all classes.
  template <class Real>
  void flip(std::int64_t i, Real* values) const {
    for (std::int32_t m : of(i)) values[m] = -values[m];
  }

  // Of numbers of some classes, which are listed and ascend.
  template <class Real>
  void flip(std::int64_t i, const std::int32_t* listed, int count, Real* values) const {
    const std::span<const std::int32_t> labels = of(i);
    auto label = labels.begin();
    for (int c = 0; c < count && label != labels.end(); ++c) {
      while (label != labels.end() && *label < listed[c]) ++label;
      if (label != labels.end() && *label == listed[c]) values[c] = -values[c];
    }
  }

 private:
  std::vector<std::int64_t> starts_;
  std::vector<std::int32_t> classes_;
};

}  // namespace polymargin
