// The restricted problem of maximum entropy by pairs of variables, as in 003, section 3.2.3: while
// their derivatives differ, mass moves between the class with the smallest and the class with the
// largest one. A pair is a problem of one variable, eq. (3.12), which EntropyBox solves: with
// c = p_1 + p_2 and p_1 = c r it is logit(r) + 2 a c r = const. For comparison; EntropySimplex
// solves for all variables at once.
#pragma once

#include <algorithm>
#include <cmath>

#include "polymargin/restricted/entropy_box.hpp"

namespace polymargin {

struct EntropyPairs {
  // As EntropySimplex::solve; stops when derivatives differ by less than kLastDifference.
  template <class Lanes, class Packs, class Real>
  static void solve(const Lanes& lanes, Real a, Real highest, const Packs& start, Packs& guess,
                    Packs& logs) {
    using V = typename Lanes::V;
    constexpr int kBytes = int(sizeof(V)), kLanes = Lanes::kLanes;
    constexpr Real kLastDifference = Real(0.01);
    const int classes = lanes.block.layout.classes;
    const auto in = [](auto& packs, int m) -> Real { return packs[m / kLanes][m % kLanes]; };
    for (int v = 0; v < lanes.packs; ++v) logs[v] = log_pack<Real, kBytes>(guess[v]);

    for (int step = 0; step < 20 * classes; ++step) {
      const auto slope = [&](int m) {
        return a * (in(guess, m) - in(start, m)) - (lanes.block.score[m] - highest);
      };
      int low = 0, high = 0;
      Real least = -kNowhere<Real>, most = kNowhere<Real>;
      for (int m = 0; m < classes; ++m) {
        const Real derivative = in(logs, m) + slope(m);
        if (derivative < least) least = derivative, low = m;
        if (derivative > most) most = derivative, high = m;
      }
      if (!(most - least > kLastDifference)) break;
      const Real mass = in(guess, low) + in(guess, high);
      const auto shares = EntropyBox::solve<Real, kBytes>(2 * a * mass, V{} + in(guess, low) / mass,
                                                          V{} + (slope(low) - slope(high)));
      const auto set = [&](int m, Real share) {
        guess[m / kLanes][m % kLanes] = mass * share;
        logs[m / kLanes][m % kLanes] =
            std::max(std::log(mass * share), FloatFormat<Real>::kLeastExponent);
      };
      set(low, shares.share[0]);
      set(high, shares.complement[0]);
    }
  }
};

}  // namespace polymargin
