// exp and log of whole packs, by range reduction and a series; the compiler's library has none for
// packs. Accurate to a few units in the last place (tested against the scalar library).
#pragma once

#include <array>
#include <bit>
#include <limits>

#include "polymargin/base/simd.hpp"

namespace polymargin {

template <class Real>
struct FloatFormat;
template <>
struct FloatFormat<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr float kRounder = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float kLog2High = 0.693359375f, kLog2Low = -2.12194440e-4f;
  static constexpr float kLeastExponent = -87, kMostExponent = 88;
  static constexpr int kExpTerms = 8;
  static constexpr int kLogTerms = 5, kLog1pTerms = 8;
};
template <>
struct FloatFormat<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double kLog2High = 0.693147180369123816490,
                          kLog2Low = 1.90821492927058770002e-10;
  static constexpr double kLeastExponent = -708, kMostExponent = 709;
  static constexpr int kExpTerms = 14;
  static constexpr int kLogTerms = 11, kLog1pTerms = 17;
};

// coefficients[0] + x coefficients[1] + ...
template <class V, class Real, std::size_t Terms>
[[gnu::always_inline]] inline V polynomial(V x, const std::array<Real, Terms>& coefficients) {
  V sum = V{} + coefficients[Terms - 1];
#pragma GCC unroll 32
  for (int term = int(Terms) - 2; term >= 0; --term) sum = sum * x + coefficients[term];
  return sum;
}

template <class Real, int Terms>
inline constexpr std::array<Real, Terms> kInverseFactorials = [] {
  std::array<Real, Terms> values{};
  double factorial = 1;
  for (int n = 0; n < Terms; factorial *= ++n) values[n] = Real(1 / factorial);
  return values;
}();

// 2, 2/3, 2/5, ...: 2 atanh(s) = s times this series in s^2
template <class Real, int Terms>
inline constexpr std::array<Real, Terms> kTwiceInverseOdds = [] {
  std::array<Real, Terms> values{};
  for (int n = 0; n < Terms; ++n) values[n] = Real(2.0 / (2 * n + 1));
  return values;
}();

// exp(x), with x first moved into the range where exp(x) is a normal number.
template <class Real, int Bytes>
[[gnu::always_inline]] inline Pack<Real, Bytes> exp_pack(Pack<Real, Bytes> x) {
  using V = Pack<Real, Bytes>;
  using I = PackInt<Real, Bytes>;
  using Format = FloatFormat<Real>;
  x = min_of(max_of(x, V{} + Format::kLeastExponent), V{} + Format::kMostExponent);
  // x = n log 2 + r, |r| <= log(2) / 2; n is in the low bits of `shifted`
  const V shifted = x * Real(1.4426950408889634) + Format::kRounder;
  const V n = shifted - Format::kRounder;
  const V r = (x - n * Format::kLog2High) - n * Format::kLog2Low;
  const V series = polynomial(r, kInverseFactorials<Real, Format::kExpTerms>);
  const I exponent = std::bit_cast<I>(shifted) << Format::kMantissaBits;
  return std::bit_cast<V>(std::bit_cast<I>(series) + exponent);
}

// log(x) for x >= 0; what is smaller than a normal number counts as the smallest one.
template <class Real, int Bytes>
[[gnu::always_inline]] inline Pack<Real, Bytes> log_pack(Pack<Real, Bytes> x) {
  using V = Pack<Real, Bytes>;
  using I = PackInt<Real, Bytes>;
  using Format = FloatFormat<Real>;
  x = max_of(x, V{} + std::numeric_limits<Real>::min());
  // x = 2^e m, sqrt(1/2) <= m < sqrt(2)
  const I root_half = std::bit_cast<I>(V{} + Real(0.70710678118654752));
  const I e = (std::bit_cast<I>(x) - root_half) >> Format::kMantissaBits;
  const V m = std::bit_cast<V>(std::bit_cast<I>(x) - (e << Format::kMantissaBits));
  const V exponent =
      std::bit_cast<V>(e + std::bit_cast<I>(V{} + Format::kRounder)) - Format::kRounder;
  const V s = (m - 1) / (m + 1);
  const V series = s * polynomial(s * s, kTwiceInverseOdds<Real, Format::kLogTerms>);
  return exponent * Format::kLog2High + (series + exponent * Format::kLog2Low);
}

// log(1 + x) for 0 <= x <= 1, also where 1 + x is rounded to 1.
template <class Real, int Bytes>
[[gnu::always_inline]] inline Pack<Real, Bytes> log1p_pack(Pack<Real, Bytes> x) {
  const Pack<Real, Bytes> s = x / (x + 2);
  return s * polynomial(s * s, kTwiceInverseOdds<Real, FloatFormat<Real>::kLog1pTerms>);
}

}  // namespace polymargin
