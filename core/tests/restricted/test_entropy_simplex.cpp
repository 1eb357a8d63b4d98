#include "blocks.hpp"
#include "polymargin/restricted/entropy_simplex.hpp"

namespace polymargin::test::test_entropy_simplex {

// log p_m + a p_m = mu + q_m, sum p = 1, in long double: bisection for mu, and inside of it for
// each log p_m, with Newton steps where they stay between the bounds.
class EntropyOracle {
 public:
  EntropyOracle(Wide a, const std::vector<Wide>& q) : a_(a), logs(q.size()) {
    const Wide highest = *std::max_element(q.begin(), q.end());
    Wide low = -highest - std::log(Wide(q.size())) - 1, high = a - highest + 1;
    for (int halving = 0; halving < 90; ++halving) {
      const Wide mu = (low + high) / 2;
      Wide sum = 0;
      for (std::size_t m = 0; m < q.size(); ++m) sum += std::exp(logs[m] = log_share(mu + q[m]));
      (sum > 1 ? high : low) = mu;
    }
  }

 private:
  // t + a exp(t) = z
  Wide log_share(Wide z) const {
    Wide high = z > a_ ? std::log(z / a_) : std::min(z, Wide(0)), low = std::min(z, Wide(0)) - a_;
    Wide t = high;
    for (int iteration = 0; iteration < 200; ++iteration) {
      const Wide power = a_ * std::exp(t), excess = t + power - z;
      (excess > 0 ? high : low) = t;
      Wide next = t - excess / (1 + power);
      if (!(next >= low && next <= high)) next = (low + high) / 2;
      if (std::fabs(next - t) <= 1e-18L * (1 + std::fabs(t))) return next;
      t = next;
    }
    return t;
  }

  const Wide a_;

 public:
  std::vector<Wide> logs;
};

template <class Real>
struct EntropyBlock {
  Real a;
  std::vector<Real> score, start, guess;
  int size() const { return int(score.size()); }
};

// Starts: a vertex, inside, shares of every size, a vertex with specks around it, a face, the
// centre.
template <class Real>
std::vector<Real> random_shares(Source& source, int size) {
  const int kind = source.integer(0, 5), corner = source.integer(0, size - 1);
  std::vector<double> share(size);
  double sum = 0;
  for (int m = 0; m < size; ++m) {
    if (kind == 0) share[m] = m == corner;
    if (kind == 1) share[m] = source.uniform(0, 1);
    if (kind == 2) share[m] = source.power_of_ten(-30, 0);
    if (kind == 3) share[m] = m == corner ? 1 : source.power_of_ten(-30, -8);
    if (kind == 4) share[m] = m == corner || source.chance(0.3) ? source.uniform(0.1, 1) : 0;
    if (kind == 5) share[m] = 1;
    sum += share[m];
  }
  std::vector<Real> result;
  for (double s : share) result.push_back(Real(s / sum));
  return result;
}

// The guess is between the start and the softmax, as the machine makes it.
template <class Real>
EntropyBlock<Real> random_block(Source& source) {
  const int size = source.chance(0.8) ? source.integer(2, 40) : source.integer(65, 150);
  EntropyBlock<Real> p;
  p.a = Real(source.power_of_ten(-9, 9));
  p.start = random_shares<Real>(source, size);
  const double spread = source.power_of_ten(-2, 3);
  Wide sum = 0, highest = -spread;
  for (int m = 0; m < size; ++m) {
    p.score.push_back(Real(spread * source.uniform(-1, 1)));
    highest = std::max(highest, Wide(p.score[m]));
  }
  for (Real s : p.score) sum += std::exp(s - highest);
  for (int m = 0; m < size; ++m) {
    const Wide softmax = std::exp(p.score[m] - highest) / sum;
    p.guess.push_back(Real((softmax + Wide(p.a) * p.start[m]) / (1 + Wide(p.a))));
  }
  return p;
}

template <class Real>
struct EntropySolution {
  std::vector<Real> shares, logs, padding;
};

template <class Real>
EntropySolution<Real> solve(const EntropyBlock<Real>& p) {
  BlockArrays<Real> arrays(p.size());
  std::copy(p.score.begin(), p.score.end(), arrays.score.data());
  const Real highest = *std::max_element(p.score.begin(), p.score.end());
  EntropySolution<Real> result;
  with_lanes(arrays.block(0, 1, p.a), [&](const auto& lanes) {
    constexpr int kLanes = std::decay_t<decltype(lanes)>::kLanes;
    auto start = lanes.local(0), shares = lanes.local(1), logs = lanes.local(2);
    for (int m = 0; m < lanes.packs * kLanes; ++m) {
      start[m / kLanes][m % kLanes] = m < p.size() ? p.start[m] : Real(0);
      shares[m / kLanes][m % kLanes] = m < p.size() ? p.guess[m] : Real(0);
    }
    EntropySimplex::solve(lanes, p.a, highest, start, shares, logs);
    for (int m = 0; m < lanes.packs * kLanes; ++m) {
      const Real share = shares[m / kLanes][m % kLanes];
      (m < p.size() ? result.shares : result.padding).push_back(share);
      if (m < p.size()) result.logs.push_back(logs[m / kLanes][m % kLanes]);
    }
  });
  return result;
}

// `left` is what the last step leaves of the error; what is below a rounding of one is not kept.
template <class Real>
void check_solution(const EntropyBlock<Real>& p, const EntropySolution<Real>& found, Wide left) {
  const Wide highest = *std::max_element(p.score.begin(), p.score.end());
  std::vector<Wide> q;
  for (int m = 0; m < p.size(); ++m) q.push_back(p.score[m] - highest + Wide(p.a) * p.start[m]);
  const EntropyOracle oracle(p.a, q);
  Wide sum = 0;
  for (int m = 0; m < p.size(); ++m) {
    const Wide share = found.shares[m], expected = std::exp(oracle.logs[m]);
    CHECK(share >= 0 && share <= 1 + kRounding<Real>);
    CHECK_NEAR(share, expected, left * expected + 4 * kRounding<Real>);
    sum += share;
    if (share < 2 * std::exp(Wide(FloatFormat<Real>::kLeastExponent))) continue;
    CHECK_NEAR(found.logs[m], std::log(share),
               8 * kRounding<Real> * (1 + std::fabs(std::log(share))) + 1e-11L);
  }
  CHECK_NEAR(sum, 1, (4 + p.size() / 8) * kRounding<Real>);
  for (Real share : found.padding) CHECK_EQUAL(share, 0);
}

// The second visit starts where the first has ended, with the scores that it has made: the error is
// squared. Its scores are rounded, which for a large a weighs more than what was left.
template <class Real>
void check_visits(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    auto p = random_block<Real>(source);
    const auto first = solve(p);
    check_solution(p, first, 1.5e-4L);
    for (int m = 0; m < p.size(); ++m)
      p.score[m] = Real(p.score[m] - Wide(p.a) * (Wide(first.shares[m]) - p.start[m]));
    p.start = p.guess = first.shares;
    check_solution(p, solve(p), 1e-7L + 64 * kRounding<Real> * std::fabs(Wide(p.a)));
  }
}

void run_tests() {
  check_visits<double>(1, 600);
  check_visits<float>(2, 600);
}

}  // namespace polymargin::test::test_entropy_simplex
