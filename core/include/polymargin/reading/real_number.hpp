// Decimal text to the nearest double, ties to even: what std::from_chars gives, sooner for the
// numbers that files are full of.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace polymargin {

// All powers that are exact in their type.
template <class T, int Base, int Count>
inline constexpr std::array<T, Count> kPowers = [] {
  std::array<T, Count> powers{1};
  for (int i = 1; i < Count; ++i) powers[i] = powers[i - 1] * Base;
  return powers;
}();
inline constexpr auto& kPowersOfTen = kPowers<double, 10, 23>;
inline constexpr auto& kPowersOfFive = kPowers<std::uint64_t, 5, 28>;

// mantissa / 10^power for 0 < mantissa and power <= 27, rounded once. With mantissa = m 2^-a and
// 5^power = d 2^-b, the highest bits of m and d set, the result is (m / d) 2^(b - a - power); the
// quotient of 2^63 m by d has 63 or 64 bits, more than a double, and the remainder tells ties.
inline double divide_by_power_of_ten(std::uint64_t mantissa, int power) {
  __extension__ using Wide = unsigned __int128;
  const int a = std::countl_zero(mantissa), b = std::countl_zero(kPowersOfFive[power]);
  const std::uint64_t d = kPowersOfFive[power] << b;
  const Wide numerator = Wide(mantissa << a) << 63;
  const auto quotient = std::uint64_t(numerator / d);
  const bool inexact = Wide(quotient) * d != numerator;
  const int dropped = 11 - std::countl_zero(quotient);  // all but 53 bits
  std::uint64_t kept = quotient >> dropped;
  const std::uint64_t rest = quotient & ((std::uint64_t(1) << dropped) - 1);
  const std::uint64_t half = std::uint64_t(1) << (dropped - 1);
  kept += rest > half || (rest == half && (inexact || (kept & 1)));
  const int exponent = dropped - 63 + b - a - power;  // far from the ends of the range
  return double(kept) * std::bit_cast<double>(std::uint64_t(exponent + 1023) << 52);
}

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Eight digits at once: tens and ones of the bytes, then of pairs, then of fours.
inline bool read_eight_digits(const char* p, std::uint64_t& mantissa) {
  std::uint64_t v;
  std::memcpy(&v, p, 8);
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0, kZeros = 0x3030303030303030;
  if ((v & kHigh) != kZeros || ((v + 0x0606060606060606) & kHigh) != kZeros) return false;
  v &= ~kHigh;
  v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FF;
  v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFF;
  v = (v * 10000 + (v >> 32)) & 0x00000000FFFFFFFF;
  mantissa = mantissa * 100000000 + v;
  return true;
}

inline const char* read_digits(const char* p, std::uint64_t& mantissa) {
  for (; is_digit(*p); ++p) mantissa = mantissa * 10 + std::uint64_t(*p - '0');
  return p;
}

// What the fast ways do not cover: many digits, large exponents. `start` is past the sign. Too
// large gives infinity, too small 0.
inline double read_slowly(const char* start, const char* stop, std::int64_t exponent) {
  double value = 0;
  if (std::from_chars(start, stop, value).ec != std::errc::result_out_of_range) return value;
  // The power of ten of the first digit that is not 0 tells which of the two it is.
  std::int64_t power = exponent;
  bool before_point = true, leading = true;
  for (const char* p = start; p != stop && (is_digit(*p) || *p == '.'); ++p) {
    if (*p == '.') {
      before_point = false;
    } else {
      leading = leading && *p == '0';
      power += before_point ? !leading : -int(leading);
    }
  }
  return power > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

// Reads [+-]digits[.digits][e[+-]digits] at p; returns where it ends, or nullptr if there is no
// such number. Before `end` there must be a character that ends every number, such as a line end.
inline const char* read_real(const char* p, const char* end, double& value) {
  const bool negative = *p == '-';
  p += negative || *p == '+';
  const char* const start = p;
  std::uint64_t mantissa = 0;
  p = read_digits(p, mantissa);
  std::int64_t digits = p - start, exponent = 0, written_exponent = 0;
  if (*p == '.') {
    const char* const fraction = ++p;
    if constexpr (std::endian::native == std::endian::little)
      while (end - p >= 8 && read_eight_digits(p, mantissa)) p += 8;
    p = read_digits(p, mantissa);
    exponent = fraction - p;
    digits -= exponent;
  }
  if (digits == 0) return nullptr;
  constexpr int kSafeDigits = 19;  // of a number below 2^64
  if (digits > kSafeDigits)
    for (const char* zero = start; *zero == '0' || *zero == '.'; ++zero) digits -= *zero == '0';
  if (*p == 'e' || *p == 'E') {
    const bool down = *++p == '-';
    p += down || *p == '+';
    if (!is_digit(*p)) return nullptr;
    constexpr std::int64_t kEnough = 1'000'000'000'000'000;  // more than any text has digits
    for (; is_digit(*p); ++p)
      if (written_exponent < kEnough) written_exponent = written_exponent * 10 + (*p - '0');
    if (down) written_exponent = -written_exponent;
    exponent += written_exponent;
  }
  constexpr std::uint64_t kExact = std::uint64_t(1) << 53;
  if (digits > kSafeDigits)
    value = read_slowly(start, p, written_exponent);
  else if (mantissa == 0 || exponent == 0)
    value = double(mantissa);
  else if (mantissa <= kExact && exponent >= -22 && exponent <= 22)
    value = exponent < 0 ? double(mantissa) / kPowersOfTen[-exponent]
                         : double(mantissa) * kPowersOfTen[exponent];
  else if (exponent < 0 && exponent >= -27)
    value = divide_by_power_of_ten(mantissa, int(-exponent));
  else
    value = read_slowly(start, p, written_exponent);
  if (negative) value = -value;
  return p;
}

}  // namespace polymargin
