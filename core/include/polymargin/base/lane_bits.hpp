// Lanes chosen by bits: some lanes of a pack, stored side by side without the others. One or two
// instructions with AVX-512, loops elsewhere.
#pragma once

#include "polymargin/base/simd.hpp"

namespace polymargin {

// Spreads numbers that lie side by side over the lanes whose bits are set; zero in the others.
// Reads a whole pack, wherever it ends.
template <class Real, int Bytes>
inline Pack<Real, Bytes> expand_lanes(const Real* packed, unsigned bits) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  if constexpr (Bytes == 64 && sizeof(Real) == 4)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm512_maskz_expand_ps(__mmask16(bits), _mm512_loadu_ps(packed)));
  else if constexpr (Bytes == 64)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm512_maskz_expand_pd(__mmask8(bits), _mm512_loadu_pd(packed)));
  else if constexpr (Bytes == 32 && sizeof(Real) == 4)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm256_maskz_expand_ps(__mmask8(bits), _mm256_loadu_ps(packed)));
  else if constexpr (Bytes == 32)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm256_maskz_expand_pd(__mmask8(bits), _mm256_loadu_pd(packed)));
  else
#endif
  {
    Pack<Real, Bytes> spread{};
    for (; bits != 0; bits &= bits - 1) spread[std::countr_zero(bits)] = *packed++;
    return spread;
  }
}

// The inverse: the lanes whose bits are set, side by side; zero in the lanes after them.
template <class Real, int Bytes>
inline Pack<Real, Bytes> compress_lanes(Pack<Real, Bytes> v, unsigned bits) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  if constexpr (Bytes == 64 && sizeof(Real) == 4)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm512_maskz_compress_ps(__mmask16(bits), std::bit_cast<__m512>(v)));
  else if constexpr (Bytes == 64)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm512_maskz_compress_pd(__mmask8(bits), std::bit_cast<__m512d>(v)));
  else if constexpr (Bytes == 32 && sizeof(Real) == 4)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm256_maskz_compress_ps(__mmask8(bits), std::bit_cast<__m256>(v)));
  else if constexpr (Bytes == 32)
    return std::bit_cast<Pack<Real, Bytes>>(
        _mm256_maskz_compress_pd(__mmask8(bits), std::bit_cast<__m256d>(v)));
  else
#endif
  {
    Pack<Real, Bytes> packed{};
    for (int next = 0; bits != 0; bits &= bits - 1) packed[next++] = v[std::countr_zero(bits)];
    return packed;
  }
}

// Adds `delta` to the first `count` numbers at `p`, touching no other; returns the numbers as they
// were, zero in the other lanes.
template <class Real, int Bytes>
inline Pack<Real, Bytes> add_first(Real* p, Pack<Real, Bytes> delta, int count) {
  using V = Pack<Real, Bytes>;
#if defined(__AVX512F__) && defined(__AVX512VL__)
  const unsigned first = (1u << count) - 1;
  if constexpr (Bytes == 64 && sizeof(Real) == 4) {
    const __m512 old = _mm512_maskz_loadu_ps(__mmask16(first), p);
    _mm512_mask_storeu_ps(p, __mmask16(first), _mm512_add_ps(old, std::bit_cast<__m512>(delta)));
    return std::bit_cast<V>(old);
  } else if constexpr (Bytes == 64) {
    const __m512d old = _mm512_maskz_loadu_pd(__mmask8(first), p);
    _mm512_mask_storeu_pd(p, __mmask8(first), _mm512_add_pd(old, std::bit_cast<__m512d>(delta)));
    return std::bit_cast<V>(old);
  } else if constexpr (Bytes == 32 && sizeof(Real) == 4) {
    const __m256 old = _mm256_maskz_loadu_ps(__mmask8(first), p);
    _mm256_mask_storeu_ps(p, __mmask8(first), _mm256_add_ps(old, std::bit_cast<__m256>(delta)));
    return std::bit_cast<V>(old);
  } else if constexpr (Bytes == 32) {
    const __m256d old = _mm256_maskz_loadu_pd(__mmask8(first), p);
    _mm256_mask_storeu_pd(p, __mmask8(first), _mm256_add_pd(old, std::bit_cast<__m256d>(delta)));
    return std::bit_cast<V>(old);
  } else
#endif
  {
    V old{};
    for (int lane = 0; lane < count; ++lane) {
      old[lane] = p[lane];
      p[lane] += delta[lane];
    }
    return old;
  }
}

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
