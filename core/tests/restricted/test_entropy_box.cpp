#include "blocks.hpp"
#include "polymargin/restricted/entropy_box.hpp"

namespace polymargin::test::test_entropy_box {

// logit(p) + a p = a p_0 - v. The shares lose no digits at either end: q is 1 - p.
struct BoxRoot {
  Wide t, p, q;

  BoxRoot(Wide a, Wide start, Wide margin) {
    Wide low = -a - std::fabs(margin) - 1, high = a + std::fabs(margin) + 1;
    for (int halving = 0; halving < 140; ++halving) {
      set((low + high) / 2);
      const Wide change = t < 0 ? p - start : (1 - start) - q;
      (t + a * change + margin > 0 ? high : low) = t;
    }
  }

 private:
  void set(Wide logit) {
    t = logit;
    p = 1 / (1 + std::exp(-t));
    q = 1 / (1 + std::exp(t));
  }
};

// How well t can be known: the terms of the equation are rounded, and its slope is 1 + a p q.
template <class Real>
Wide logit_rounding(const BoxRoot& root, Wide a, Wide start, Wide margin) {
  const Wide terms = 1 + std::fabs(margin) + std::fabs(root.t) +
                     a * (root.t < 0 ? std::max(start, root.p) : std::max(1 - start, root.q));
  return 8 * kRounding<Real> * (terms / (1 + a * root.p * root.q) + 1);
}

// Shares below the smallest that exp() knows of are that one.
template <class Real>
void check_share(Real share, Wide expected, Wide logit_error) {
  const Wide least = 2 * std::exp(Wide(FloatFormat<Real>::kLeastExponent));
  CHECK(share > 0 && share <= 1);
  CHECK_NEAR(share, expected, expected * (logit_error + 4 * kRounding<Real>)+least);
}

// `left` is what the solver leaves of the error in t: half the square of its last step.
template <class Real, int Bytes>
LogisticShares<Pack<Real, Bytes>> check_solution(Real a, Pack<Real, Bytes> start,
                                                 Pack<Real, Bytes> margin, Wide left) {
  const auto result = EntropyBox::solve<Real, Bytes>(a, start, margin);
  for (int lane = 0; lane < Bytes / int(sizeof(Real)); ++lane) {
    const Real p = result.share[lane], q = result.complement[lane], t = result.logit[lane];
    const BoxRoot root(a, start[lane], margin[lane]);
    const Wide error = left + logit_rounding<Real>(root, a, start[lane], margin[lane]);
    check_share(p, root.p, error);
    check_share(q, root.q, error);
    CHECK_NEAR(Wide(p) + q, 1, 2 * kRounding<Real>);

    // The logit is that of the shares, and its change is right for all that it is used for.
    const bool at_end = std::fabs(t) >= -FloatFormat<Real>::kLeastExponent;
    const Wide rounding = 4 * kRounding<Real> * (1 + std::fabs(t)) + 1e-11L + (at_end ? 0.01L : 0);
    CHECK_NEAR(t, std::log(Wide(p)) - std::log(Wide(q)), rounding);
    if (start[lane] <= 0 || start[lane] >= 1) continue;
    const Wide before = std::log(Wide(start[lane])) - std::log1p(-Wide(start[lane]));
    const Wide slack = rounding + 4 * kRounding<Real> * (1 + std::fabs(before));
    CHECK_NEAR(start[lane] * Wide(result.logit_change[lane]), start[lane] * (t - before), slack);
  }
  return result;
}

// Half the square of the largest last step, twice over: what is left after one visit and after two.
constexpr Wide kLeftOnce = 6e-5L, kLeftTwice = 4e-9L;

// Visits the same block three times, the last two with the margins that the one before has made:
// each time the error is squared. Where a share is nearly rounded to zero or one, it is replaced by
// one half, which is optimal for margins of zero.
template <class Real, int Bytes>
void check_visits(Real a, Pack<Real, Bytes> start, Pack<Real, Bytes> margin) {
  auto shares = check_solution<Real, Bytes>(a, start, margin, kLeftOnce);
  for (Wide left : {kLeftTwice, Wide(0)}) {
    for (int lane = 0; lane < Bytes / int(sizeof(Real)); ++lane) {
      const bool known = shares.complement[lane] > 1e4 * std::numeric_limits<Real>::epsilon() &&
                         shares.share[lane] > 1e4 * std::numeric_limits<Real>::epsilon();
      const Wide moved = Wide(margin[lane]) + a * (Wide(shares.share[lane]) - start[lane]);
      start[lane] = known ? shares.share[lane] : Real(0.5);
      margin[lane] = known ? Real(moved) : Real(0);
    }
    // The margin is rounded, which moves the root by as much.
    const Wide rounding = 4 * kRounding<Real> * std::fabs(Wide(a));
    shares = check_solution<Real, Bytes>(a, start, margin, std::min(kLeftOnce, left + rounding));
  }
}

template <class Real>
Real random_start(Source& source, int kind) {
  if (kind == 0) return 0;
  if (kind == 1) return Real(source.power_of_ten(-30, -1));
  if (kind == 2) return Real(source.uniform(0.01, 0.99));
  if (kind == 3) return Real(1 - source.power_of_ten(-16, -1));
  return kind == 4 ? Real(1) : Real(0.5);
}

template <class Real, int Bytes>
void check_pack() {
  Source source(1);
  for (int n = 0; n < 2500; ++n) {
    const Real a = Real(source.power_of_ten(-12, 12));
    Pack<Real, Bytes> start{}, margin{};
    for (int lane = 0; lane < Bytes / int(sizeof(Real)); ++lane) {
      start[lane] = random_start<Real>(source, source.integer(0, 5));
      const double sign = source.chance(0.5) ? 1 : -1;
      margin[lane] = source.chance(0.05) ? Real(0) : Real(sign * source.power_of_ten(-3, 4));
    }
    check_visits<Real, Bytes>(a, start, margin);
  }
}

void run_tests() {
  check_pack<float, kNativeBytes>();
  check_pack<double, kNativeBytes>();
  if constexpr (kNativeBytes > 16) {
    check_pack<float, kNativeBytes / 2>();
    check_pack<double, kNativeBytes / 2>();
  }
}

}  // namespace polymargin::test::test_entropy_box
