// Which support pattern to take next, from what the update of gradients has just looked at (001,
// algorithm 2, with a limit of hits: "GaLa").
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "polymargin/driver/online/patterns.hpp"

namespace polymargin {

// A pair of support classes of a pattern: `up` is to grow.
struct Candidate {
  std::int32_t place = -1, up = -1, down = -1;
  explicit operator bool() const { return place >= 0; }
};

class GainSelection {
 public:
  // The gradients of a pair must differ by more than `violation`.
  GainSelection(int hits, double violation) : hits_(hits), violation_(violation) {}

  // The best pair of one of two classes, whose gradients have changed, and a third class drawn at
  // random. Looks at `hits` pairs, half of them for each class, from random positions on.
  Candidate select(const Patterns& patterns, std::int32_t first, std::int32_t second,
                   Random& random) {
    best_ = {};
    best_gain_ = 0;
    best_removes_ = false;
    looks_ = 0;
    const int classes = patterns.support().classes();
    if (classes < 3) return best_;
    const std::int32_t third = draw_third(classes, first, second, random);
    look(patterns, first, third, (hits_ + 1) / 2, random);
    look(patterns, second, third, hits_ / 2, random);
    return best_;
  }

  // Pairs that the last selection has looked at.
  std::int64_t looks() const { return looks_; }

 private:
  static std::int32_t draw_third(int classes, std::int32_t first, std::int32_t second,
                                 Random& random) {
    std::int32_t third = std::int32_t(random.below(std::uint32_t(classes - 2)));
    if (third >= std::min(first, second)) ++third;
    if (third >= std::max(first, second)) ++third;
    return third;
  }

  void look(const Patterns& patterns, std::int32_t changed, std::int32_t third, int hits,
            Random& random) {
    const auto places = patterns.support().pairs().places(changed, third);
    if (places.empty()) return;
    const std::size_t count = std::min<std::size_t>(hits, places.size());
    std::size_t at = random.below(std::uint32_t(places.size()));
    for (std::size_t n = 0; n < count; ++n) {
      consider(patterns, places[at], changed, third);
      if (++at == places.size()) at = 0;
    }
    looks_ += std::int64_t(count);
  }

  // A step that removes a support class goes before one that does not; then the gain decides.
  void consider(const Patterns& patterns, std::int32_t place, std::int32_t changed,
                std::int32_t third) {
    const SupportClasses& support = patterns.support();
    auto [up, down] = support.find_both(place, changed, third);
    const double difference = support.gradient(up) - support.gradient(down);
    if (!(std::fabs(difference) > violation_)) return;
    if (difference < 0) std::swap(up, down);
    const ExchangeStep step = patterns.exchange(place, up, down);
    const bool removes = step.at_upper && !patterns.is_label(place, up.label);
    if (removes != best_removes_ ? removes : step.gain > best_gain_) {
      best_ = {place, up.label, down.label};
      best_gain_ = step.gain;
      best_removes_ = removes;
    }
  }

  int hits_;
  double violation_;
  Candidate best_;
  double best_gain_ = 0;
  bool best_removes_ = false;
  std::int64_t looks_ = 0;
};

}  // namespace polymargin
