// Vectors over classes. Every per-class loop of the engine runs over packs: GCC/Clang vector
// extensions, so the same source compiles to SSE2, AVX2, AVX-512 or NEON by compiler flags alone.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace polymargin {

#if defined(__AVX512F__)
inline constexpr int kNativeBytes = 64;
#elif defined(__AVX__)
inline constexpr int kNativeBytes = 32;
#else
inline constexpr int kNativeBytes = 16;
#endif

// A vector_size that depends on a template parameter is miscompiled by some compilers, so each
// size is spelled out.
template <class Real, int Bytes>
struct PackOf;
#define POLYMARGIN_PACK(REAL, INT, BYTES)                     \
  template <>                                                 \
  struct PackOf<REAL, BYTES> {                                \
    typedef REAL type __attribute__((vector_size(BYTES)));    \
    typedef INT integers __attribute__((vector_size(BYTES))); \
  };
POLYMARGIN_PACK(float, std::int32_t, 16)
POLYMARGIN_PACK(float, std::int32_t, 32)
POLYMARGIN_PACK(float, std::int32_t, 64)
POLYMARGIN_PACK(double, std::int64_t, 16)
POLYMARGIN_PACK(double, std::int64_t, 32)
POLYMARGIN_PACK(double, std::int64_t, 64)
#undef POLYMARGIN_PACK

template <class Real, int Bytes>
using Pack = typename PackOf<Real, Bytes>::type;
template <class Real, int Bytes>
using PackInt = typename PackOf<Real, Bytes>::integers;

template <int N>
using IntC = std::integral_constant<int, N>;

template <class V>
inline V load(const void* p) {
  return *static_cast<const V*>(p);
}
template <class V>
inline void store(void* p, V v) {
  *static_cast<V*>(p) = v;
}
// The same where `p` need not be aligned.
template <class V>
inline V load_anywhere(const void* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof(V));
  return v;
}
template <class V>
inline void store_anywhere(void* p, V v) {
  __builtin_memcpy(p, &v, sizeof(V));
}

template <class V>
inline V max_of(V a, V b) {
  return a > b ? a : b;
}
template <class V>
inline V min_of(V a, V b) {
  return a < b ? a : b;
}

// The lower or upper half of a pack. Without the builtin the pack goes through memory.
template <class Real, int Bytes, int Which>
inline Pack<Real, Bytes / 2> half_of(Pack<Real, Bytes> v) {
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
  constexpr int kHalf = Bytes / 2 / int(sizeof(Real));
  return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(v, v, (Which * kHalf + Lane)...);
  }(std::make_integer_sequence<int, kHalf>{});
#else
  struct Halves {
    Pack<Real, Bytes / 2> half[2];
  };
  return std::bit_cast<Halves>(v).half[Which];
#endif
}

// Folds the lanes of a pack in halves: O(log lanes) shuffles, and one fixed order of summation.
template <class Real, int Bytes, class Fold>
inline Real fold_lanes(Pack<Real, Bytes> v, Fold fold) {
  if constexpr (Bytes > 16) {
    return fold_lanes<Real, Bytes / 2>(fold(half_of<Real, Bytes, 0>(v), half_of<Real, Bytes, 1>(v)),
                                       fold);
  } else if constexpr (sizeof(Real) == 4) {
    const Pack<Real, 16> pairs = fold(v, Pack<Real, 16>{v[2], v[3], v[0], v[1]});
    return fold(pairs, Pack<Real, 16>{pairs[1], pairs[0], pairs[3], pairs[2]})[0];
  } else {
    return fold(v, Pack<Real, 16>{v[1], v[0]})[0];
  }
}

// One bit per lane of a comparison.
template <class Real, int Bytes>
inline unsigned lane_bits(PackInt<Real, Bytes> mask) {
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
  if constexpr (Bytes == 64 && sizeof(Real) == 4)
    return unsigned(_mm512_movepi32_mask(std::bit_cast<__m512i>(mask)));
  else if constexpr (Bytes == 64)
    return unsigned(_mm512_movepi64_mask(std::bit_cast<__m512i>(mask)));
  else
#endif
#if defined(__AVX__)
      if constexpr (Bytes == 32 && sizeof(Real) == 4)
    return unsigned(_mm256_movemask_ps(std::bit_cast<__m256>(mask)));
  else if constexpr (Bytes == 32)
    return unsigned(_mm256_movemask_pd(std::bit_cast<__m256d>(mask)));
  else
#endif
#if defined(__SSE2__)
      if constexpr (Bytes == 16 && sizeof(Real) == 4)
    return unsigned(_mm_movemask_ps(std::bit_cast<__m128>(mask)));
  else if constexpr (Bytes == 16)
    return unsigned(_mm_movemask_pd(std::bit_cast<__m128d>(mask)));
  else
#endif
  {
    unsigned bits = 0;
    for (int lane = 0; lane < Bytes / int(sizeof(Real)); ++lane)
      bits |= unsigned(mask[lane] != 0) << lane;
    return bits;
  }
}

// How many lanes of a comparison are true.
template <class Real, int Bytes>
inline int count_lanes(PackInt<Real, Bytes> mask) {
  return std::popcount(lane_bits<Real, Bytes>(mask));
}

template <class Real, int Bytes>
inline Real sum_lanes(Pack<Real, Bytes> v) {
  return fold_lanes<Real, Bytes>(v, [](auto a, auto b) { return a + b; });
}
template <class Real, int Bytes>
inline Real max_lanes(Pack<Real, Bytes> v) {
  return fold_lanes<Real, Bytes>(v, [](auto a, auto b) { return max_of(a, b); });
}
template <class Real, int Bytes>
inline Real min_lanes(Pack<Real, Bytes> v) {
  return fold_lanes<Real, Bytes>(v, [](auto a, auto b) { return min_of(a, b); });
}

// 0, 1, 2, ... in the lanes of a pack.
template <class Real, int Bytes>
inline PackInt<Real, Bytes> lane_numbers() {
  PackInt<Real, Bytes> lanes{};
  for (int lane = 0; lane < Bytes / int(sizeof(Real)); ++lane) lanes[lane] = lane;
  return lanes;
}

// Stands for minus infinity in lanes that hold no class: finite, so that sums stay numbers.
template <class Real>
inline constexpr Real kNowhere = -std::numeric_limits<Real>::max() / 4;

// How k classes are laid out in memory: `packs` packs of `bytes` bytes. A few classes may use
// packs of half the native size, because three half packs hold 20 classes in less than two full.
struct ClassLayout {
  int classes = 0;
  int bytes = kNativeBytes;
  int packs = 0;
  int stride = 0;  // padded number of classes

  template <class Real>
  static ClassLayout of(int classes) {
    const int lanes = kNativeBytes / int(sizeof(Real));
    const int half = lanes / 2;
    ClassLayout layout{classes};
    const int halves = (classes + half - 1) / half;
    if (kNativeBytes > 16 && (halves == 1 || halves == 3)) {
      layout.bytes = kNativeBytes / 2;
      layout.packs = halves;
      layout.stride = halves * half;
    } else {
      layout.packs = (classes + lanes - 1) / lanes;
      layout.stride = layout.packs * lanes;
    }
    return layout;
  }
};

// Calls f(IntC<bytes>) with the pack size of a layout.
template <class F>
inline decltype(auto) with_pack_bytes(int bytes, F&& f) {
  if constexpr (kNativeBytes > 16) {
    if (bytes != kNativeBytes) return f(IntC<kNativeBytes / 2>{});
  }
  return f(IntC<kNativeBytes>{});
}

// Calls f(IntC<packs>) for the small counts worth unrolling, f(IntC<0>) otherwise.
template <class F>
inline decltype(auto) with_pack_count(int packs, F&& f) {
  switch (packs) {
    case 1: return f(IntC<1>{});
    case 2: return f(IntC<2>{});
    case 3: return f(IntC<3>{});
    case 4: return f(IntC<4>{});
    default: return f(IntC<0>{});
  }
}

// Calls f(position) for the non-zeros of an aligned array of whole native packs; quick where there
// are few.
template <class Real, class F>
inline void for_each_nonzero(const Real* values, int padded_size, F&& f) {
  using V = Pack<Real, kNativeBytes>;
  constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  for (int first = 0; first < padded_size; first += kLanes) {
    unsigned bits = lane_bits<Real, kNativeBytes>(load<V>(values + first) != V{});
    for (; bits != 0; bits &= bits - 1) f(first + std::countr_zero(bits));
  }
}

// Splits `packs` into register tiles of at most eight packs: f(IntC<size>, first).
template <class F>
inline void for_each_tile(int first, int last, F&& f) {
  for (; last - first > 8; first += 8) f(IntC<8>{}, first);
  switch (last - first) {
    case 1: return f(IntC<1>{}, first);
    case 2: return f(IntC<2>{}, first);
    case 3: return f(IntC<3>{}, first);
    case 4: return f(IntC<4>{}, first);
    case 5: return f(IntC<5>{}, first);
    case 6: return f(IntC<6>{}, first);
    case 7: return f(IntC<7>{}, first);
    case 8: return f(IntC<8>{}, first);
    default: return;
  }
}

}  // namespace polymargin
