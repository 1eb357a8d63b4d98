// The restricted problem of maximum entropy (003, eq. (3.11)), exact, on whole packs. With shares
// p = a / C_i of the block and a = A C_i,
//     log p_m + a p_m = mu + q_m,   q_m = s_m + a p_0m,   sum_m p_m = 1.
// Newton's method for t_m = log p_m and mu together: given mu the lanes do not meet, and mu follows
// from the sum, so a step costs one exp per lane. For fixed mu the left side is convex in t, and a
// step that ends right of the root is cut at t = 0, from where the next ones move left. It ends
// with a small step, or where all shares are known to their rounding: a large a multiplies the
// rounding of the largest share, and the logarithms of the small ones do not settle.
#pragma once

#include "polymargin/base/transcendental.hpp"
#include "polymargin/restricted/block_lanes.hpp"

namespace polymargin {

struct EntropySimplex {
  // `start` holds p_0 and `guess` shares near the solution; becomes the solution, and `logs` its
  // logarithms. Lanes without a class hold zero in both.
  template <class Lanes, class Packs, class Real>
  [[gnu::always_inline]] static void solve(const Lanes& lanes, Real a, Real highest,
                                           const Packs& start, Packs& guess, Packs& logs) {
    using V = typename Lanes::V;
    constexpr int kBytes = int(sizeof(V));
    constexpr Real kLastStep = Real(0.01);
    constexpr int kLate = 6;
    V sum{};
    for (int v = 0; v < lanes.packs; ++v) {
      logs[v] = log_pack<Real, kBytes>(guess[v]);
      sum += guess[v];
    }
    auto residuals = lanes.local(3);
    for (int iteration = 0; iteration < 60; ++iteration) {
      V weights{}, weighted{};
      for (int v = 0; v < lanes.packs; ++v) {
        const V q = lanes.score(v) - highest + a * start[v];
        residuals[v] = logs[v] + a * guess[v] - q;
        const V weight = guess[v] / (1 + a * guess[v]);
        weights += weight;
        weighted += weight * residuals[v];
      }
      const Real mu = (1 - Lanes::sum(sum) + Lanes::sum(weighted)) / Lanes::sum(weights);
      V largest{};
      for (int v = 0; v < lanes.packs; ++v) {
        V step = (mu - residuals[v]) / (1 + a * guess[v]);
        step = lanes.is_class(v) ? min_of(step, -logs[v]) : V{};
        logs[v] += step;
        largest = max_of(largest, max_of(step, -step));
        residuals[v] = step;
      }
      const bool last = !(Lanes::max(largest) > kLastStep);
      const bool late = iteration >= kLate;
      V change{};
      sum = V{};
      for (int v = 0; v < lanes.packs; ++v) {
        // The last step, to third order: exp(t) is not computed again. Then t is set to the
        // logarithm of that, to fourth order.
        const V step = residuals[v];
        const V share = last ? guess[v] * (1 + step * (1 + step * (Real(0.5) + step / 6)))
                             : (lanes.is_class(v) ? exp_pack<Real, kBytes>(logs[v]) : V{});
        if (last) logs[v] -= step * step * (step * step / 24);
        if (late) change = max_of(change, max_of(share - guess[v], guess[v] - share));
        sum += share;
        guess[v] = share;
      }
      if (last || (late && !(Lanes::max(change) > std::numeric_limits<Real>::epsilon()))) break;
    }
    // The shares sum to one but for the square of the last step.
    const Real total = Lanes::sum(sum), excess = total - 1;
    const Real scale = 1 / total, log_total = excess * (1 - excess * (Real(0.5) - excess / 3));
    for (int v = 0; v < lanes.packs; ++v) {
      guess[v] *= scale;
      logs[v] = max_of(logs[v] - log_total, V{} + FloatFormat<Real>::kLeastExponent);
    }
  }
};

}  // namespace polymargin
