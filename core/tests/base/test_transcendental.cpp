#include <random>
#include <vector>

#include "blocks.hpp"
#include "polymargin/base/transcendental.hpp"

namespace polymargin::test::test_transcendental {

// The distance of a number to the next one of its size, and of the smallest normal ones below.
template <class Real>
Wide unit_in_last_place(Wide value) {
  const Wide size = std::max(std::fabs(value), Wide(std::numeric_limits<Real>::min()));
  return std::ldexp(Wide(std::numeric_limits<Real>::epsilon()), std::ilogb(size));
}

// Calls function(pack) for all values, each of them once in every lane.
template <class Real, int Bytes, class Function, class Check>
void for_each_value(const std::vector<Real>& values, Function&& function, Check&& check) {
  constexpr int kLanes = Bytes / int(sizeof(Real));
  for (std::size_t first = 0; first < values.size(); ++first) {
    Pack<Real, Bytes> x{};
    for (int lane = 0; lane < kLanes; ++lane) x[lane] = values[(first + lane) % values.size()];
    const Pack<Real, Bytes> y = function(x);
    for (int lane = 0; lane < kLanes; ++lane) check(x[lane], y[lane]);
  }
}

template <class Real>
std::vector<Real> around(Real value) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  return {std::nextafter(value, -infinity), value, std::nextafter(value, infinity)};
}

template <class Real>
void append(std::vector<Real>& values, const std::vector<Real>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

// Random over the range, near zero in every size, and where the range reduction changes its mind.
template <class Real, int Bytes>
void check_exp() {
  using Format = FloatFormat<Real>;
  const double low = Format::kLeastExponent, high = Format::kMostExponent;
  Source source(1);
  std::vector<Real> values;
  for (int n = 0; n < 20000; ++n) {
    values.push_back(Real(source.uniform(low, high)));
    values.push_back(Real(source.uniform(-1, 1)));
    values.push_back(Real((source.chance(0.5) ? 1 : -1) * source.power_of_ten(-40, 1)));
  }
  for (int n = int(low / 0.694) + 1; n < high / 0.6931; ++n) {
    append(values, around(Real(n * std::log(2.0L))));
    append(values, around(Real((n + 0.5L) * std::log(2.0L))));
  }
  for (Real value : {Real(low), Real(0), Real(-0.0), std::numeric_limits<Real>::denorm_min(),
                     std::numeric_limits<Real>::min(), Real(high)})
    values.push_back(value);
  const auto exp_of = [](Pack<Real, Bytes> x) { return exp_pack<Real, Bytes>(x); };
  for_each_value<Real, Bytes>(values, exp_of, [&](Real x, Real y) {
    if (x < low || x > high) return;
    const Wide expected = std::exp(Wide(x));
    CHECK_NEAR(y, expected, 2 * unit_in_last_place<Real>(expected));
    if (x == 0) CHECK_EQUAL(y, 1);
  });

  // Outside of the range, the ends of it: normal numbers, never zero or infinite.
  const Real infinity = std::numeric_limits<Real>::infinity();
  const std::vector<Real> below{-infinity, std::numeric_limits<Real>::lowest(), Real(2 * low),
                                Real(low - 1)};
  for_each_value<Real, Bytes>(below, exp_of, [&](Real, Real y) {
    CHECK(y >= std::numeric_limits<Real>::min());
    CHECK_NEAR(y, std::exp(Wide(low)), 2 * unit_in_last_place<Real>(std::exp(Wide(low))));
  });
  const std::vector<Real> above{infinity, std::numeric_limits<Real>::max(), Real(2 * high),
                                Real(high + 1)};
  for_each_value<Real, Bytes>(above, exp_of, [&](Real, Real y) {
    CHECK(std::isfinite(y));
    CHECK_NEAR(y, std::exp(Wide(high)), 2 * unit_in_last_place<Real>(std::exp(Wide(high))));
  });
}

template <class Real, int Bytes>
void check_log() {
  using Limits = std::numeric_limits<Real>;
  Source source(2);
  std::vector<Real> values;
  for (int n = 0; n < 20000; ++n) {
    values.push_back(Real(std::exp(
        source.uniform(std::log(double(Limits::min())), std::log(double(Limits::max()))))));
    values.push_back(Real(source.uniform(0.5, 2)));
    values.push_back(Real(1 + source.bell() * source.power_of_ten(kIsFloat<Real> ? -7 : -15, -1)));
  }
  for (int e = Limits::min_exponent; e < Limits::max_exponent; ++e) {
    append(values, around(Real(std::ldexp(std::sqrt(0.5L), e))));
    append(values, around(Real(std::ldexp(1.0L, e))));
  }
  values.push_back(Limits::max());
  const auto log_of = [](Pack<Real, Bytes> x) { return log_pack<Real, Bytes>(x); };
  for_each_value<Real, Bytes>(values, log_of, [&](Real x, Real y) {
    if (x < Limits::min()) return;
    const Wide expected = std::log(Wide(x));
    CHECK_NEAR(y, expected, 3 * unit_in_last_place<Real>(expected));
    if (x == 1) CHECK_EQUAL(y, 0);
  });

  const Wide least = std::log(Wide(Limits::min()));
  const std::vector<Real> below{0, Real(-0.0), Limits::denorm_min(), Limits::min() / 2};
  for_each_value<Real, Bytes>(below, log_of, [&](Real, Real y) {
    CHECK_NEAR(y, least, 2 * unit_in_last_place<Real>(least));
  });
}

// The two are inverse to each other as far as their rounding lets them.
template <class Real, int Bytes>
void check_inverse() {
  Source source(3);
  std::vector<Real> values;
  for (int n = 0; n < 10000; ++n) values.push_back(Real(source.uniform(-80, 80)));
  const auto both = [](Pack<Real, Bytes> x) {
    return log_pack<Real, Bytes>(exp_pack<Real, Bytes>(x));
  };
  for_each_value<Real, Bytes>(values, both, [&](Real x, Real y) {
    CHECK_NEAR(y, x, 3 * kRounding<Real> * (1 + std::fabs(x)));
  });
}

template <class Real, int Bytes>
void check_log1p() {
  Source source(4);
  std::vector<Real> values{0, std::numeric_limits<Real>::min(), Real(0.5), 1};
  append(values, around(Real(0.5)));
  for (int n = 0; n < 20000; ++n) {
    values.push_back(Real(source.uniform(0, 1)));
    values.push_back(Real(source.power_of_ten(kIsFloat<Real> ? -37 : -307, 0)));
  }
  const auto log1p_of = [](Pack<Real, Bytes> x) { return log1p_pack<Real, Bytes>(x); };
  for_each_value<Real, Bytes>(values, log1p_of, [&](Real x, Real y) {
    const Wide expected = std::log1p(Wide(x));
    CHECK_NEAR(y, expected, 3 * unit_in_last_place<Real>(expected));
    if (x == 0) CHECK_EQUAL(y, 0);
  });
}

template <class Real, int Bytes>
void check_pack() {
  check_exp<Real, Bytes>();
  check_log<Real, Bytes>();
  check_inverse<Real, Bytes>();
  check_log1p<Real, Bytes>();
}

void run_tests() {
  check_pack<float, kNativeBytes>();
  check_pack<double, kNativeBytes>();
  if constexpr (kNativeBytes > 16) {
    check_pack<float, kNativeBytes / 2>();
    check_pack<double, kNativeBytes / 2>();
  }
}

}  // namespace polymargin::test::test_transcendental
