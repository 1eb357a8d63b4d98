// One variable with an entropy, in every lane (003, eq. (3.13)): with the share p = u / C_i, the
// restricted problem of the logistic loss
//     min 1/2 A (u - u_0)^2 + v (u - u_0) + u log u + (C_i - u) log(C_i - u)
// is stationary where logit(p) + a p = c, with a = A C_i and c = a p_0 - v. In t = logit(p) its
// left side has a slope between 1 and 1 + a/4. If c > a/2 the root is above zero and the problem is
// turned around (1 - p for p), so that t <= 0, where the left side is convex: a Newton step ends
// right of the root and those that follow move left, monotonically. That is the guard.
#pragma once

#include <cmath>

#include "polymargin/base/transcendental.hpp"
#include "polymargin/restricted/block_lanes.hpp"

namespace polymargin {

template <class V>
struct LogisticShares {
  V share;         // p
  V complement;    // 1 - p, without cancellation
  V logit;         // logit(p)
  V logit_change;  // logit(p) - logit(p_0), for p_0 inside its bounds
};

struct EntropyBox {
  // `start` is p_0, `margin` is v. The square of the last step is what is left of the error.
  template <class Real, int Bytes>
  [[gnu::always_inline]] static LogisticShares<Pack<Real, Bytes>> solve(Real a,
                                                                        Pack<Real, Bytes> start,
                                                                        Pack<Real, Bytes> margin) {
    using V = Pack<Real, Bytes>;
    constexpr Real kLastStep = Real(0.01);
    const auto turned = a * start - margin > V{} + a / 2;
    const V from = turned ? 1 - start : start;
    const V c = a * from - (turned ? -margin : margin);
    // A block that was never visited starts at a guess.
    const V guess = V{} + 1 / (2 + a);
    const V known = from > V{} ? from : guess;
    const V t_start = log_pack<Real, Bytes>(known / max_of(1 - known, V{} + kTiny<Real>));

    V t = min_of(t_start, V{}), step{}, odds{}, share{}, rest{};
    for (int iteration = 0; iteration < 60; ++iteration) {
      odds = exp_pack<Real, Bytes>(t);
      rest = 1 / (1 + odds);
      share = odds * rest;
      step = (c - t - a * share) / (1 + a * share * rest);
      step = min_of(step, -t);
      t += step;
      if (!(max_lanes<Real, Bytes>(max_of(step, -step)) > kLastStep)) break;
    }
    // The last step, to third order: exp(t) is not computed again. Then t is set to the logarithm
    // of these odds, to fourth order, so that shares and logits say the same.
    odds *= 1 + step * (1 + step * (Real(0.5) + step / 6));
    rest = 1 / (1 + odds);
    share = odds * rest;
    t = max_of(t - step * step * (step * step / 24), V{} + FloatFormat<Real>::kLeastExponent);
    const V change = t - t_start;
    return {turned ? rest : share, turned ? share : rest, turned ? -t : t,
            turned ? -change : change};
  }

  template <class Real>
  static constexpr Real kTiny = std::numeric_limits<Real>::epsilon() / 4;
};

}  // namespace polymargin
