// The scores of one row, which a team of threads shares where there are many classes: by whole
// register tiles, so that the sums are the same for any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "polymargin/access/rows.hpp"
#include "polymargin/base/team.hpp"

namespace polymargin {

class SharedScores {
 public:
  void set_threads(int threads, const ClassLayout& layout) {
    if (threads > 1 && layout.packs >= 2 * kTilePacks) team_ = std::make_unique<Team>(threads);
  }

  // scores[m] = <w_m, x_i> for all classes
  template <class Real, class W>
  void compute(const Rows<Real>& rows, std::int64_t i, const W& weights, Real* scores) {
    const int packs = weights.layout().packs;
    if (!team_ || rows.row_length(i) * packs < kLeastProducts)
      return rows.scores(i, weights, scores, 0, packs);
    const int tiles = (packs + kTilePacks - 1) / kTilePacks;
    team_->run([&](int thread) {
      const int first = tiles * thread / team_->size() * kTilePacks;
      const int last = tiles * (thread + 1) / team_->size() * kTilePacks;
      rows.scores(i, weights, scores, first, std::min(last, packs));
    });
  }

 private:
  static constexpr int kTilePacks = 8;
  // Below this number of pack products a row is scored sooner than a second thread has begun.
  static constexpr std::int64_t kLeastProducts = 4096;

  std::unique_ptr<Team> team_;
};

}  // namespace polymargin
