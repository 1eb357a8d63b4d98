// Lanes chosen by bits: one instruction with AVX-512, a few elsewhere.
#pragma once

#include "polymargin/base/simd.hpp"

namespace polymargin {

// The lanes whose bits are set; zero in the others.
template <class Real, int Bytes>
inline Pack<Real, Bytes> keep_lanes(Pack<Real, Bytes> v, unsigned bits) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  if constexpr (Bytes == 64 && sizeof(Real) == 4)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm512_maskz_mov_ps(__mmask16(bits), std::bit_cast<__m512>(v)));
  else if constexpr (Bytes == 64)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm512_maskz_mov_pd(__mmask8(bits), std::bit_cast<__m512d>(v)));
  else if constexpr (Bytes == 32 && sizeof(Real) == 4)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm256_maskz_mov_ps(__mmask8(bits), std::bit_cast<__m256>(v)));
  else if constexpr (Bytes == 32)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm256_maskz_mov_pd(__mmask8(bits), std::bit_cast<__m256d>(v)));
  else
#endif
  {
    PackInt<Real, Bytes> bit{};
    for (int lane = 0; lane < Bytes / int(sizeof(Real)); ++lane) bit[lane] = 1 << lane;
    return ((PackInt<Real, Bytes>{} + std::int32_t(bits)) & bit) != 0 ? v : Pack<Real, Bytes>{};
  }
}

}  // namespace polymargin
