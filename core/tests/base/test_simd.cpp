#include <algorithm>
#include <vector>

#include "check.hpp"
#include "polymargin/base/aligned.hpp"
#include "polymargin/base/lane_bits.hpp"

namespace polymargin::test::test_simd {

template <class Real, int Bytes>
void check_folds() {
  constexpr int kLanes = Bytes / int(sizeof(Real));
  using V = Pack<Real, Bytes>;
  // The extremes visit every lane; powers of two tell the lanes apart in the sum.
  for (int special = 0; special < kLanes; ++special) {
    V high{}, low{}, one{};
    Real sum = 0;
    int count = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      high[lane] = lane == special ? Real(50) : Real(-lane);
      low[lane] = lane == special ? Real(-50) : Real(lane);
      one[lane] = lane >= special ? Real(1 << lane) : Real(0);
      sum += one[lane];
      count += lane >= special;
    }
    CHECK_EQUAL((max_lanes<Real, Bytes>(high)), 50);
    CHECK_EQUAL((min_lanes<Real, Bytes>(low)), -50);
    CHECK_EQUAL((sum_lanes<Real, Bytes>(one)), sum);
    CHECK_EQUAL((count_lanes<Real, Bytes>(one > V{})), count);
    CHECK_EQUAL((count_lanes<Real, Bytes>(one < V{})), 0);
    // Lane l is bit l: of one lane, of all lanes from it on, of none.
    const unsigned all = (1u << kLanes) - 1, own = 1u << special;
    CHECK_EQUAL((lane_bits<Real, Bytes>(high == V{} + Real(50))), own);
    CHECK_EQUAL((lane_bits<Real, Bytes>(one > V{})), all & ~(own - 1));
    CHECK_EQUAL((lane_bits<Real, Bytes>(one < V{})), 0u);
    const V larger = max_of(high, low), smaller = min_of(high, low);
    for (int lane = 0; lane < kLanes; ++lane) {
      CHECK_EQUAL(larger[lane], std::max(Real(high[lane]), Real(low[lane])));
      CHECK_EQUAL(smaller[lane], std::min(Real(high[lane]), Real(low[lane])));
    }
  }
  const auto numbers = lane_numbers<Real, Bytes>();
  alignas(64) Real memory[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    CHECK_EQUAL(numbers[lane], lane);
    memory[lane] = Real(lane);
  }
  store(memory, load<V>(memory) + Real(1));
  for (int lane = 0; lane < kLanes; ++lane) CHECK_EQUAL(memory[lane], lane + 1);
}

// Lanes by bits, against plain loops: all bits of up to eight lanes, some thousand of sixteen. What
// is not asked for is not a number, so that it would show.
template <class Real, int Bytes>
void check_chosen_lanes() {
  constexpr int kLanes = Bytes / int(sizeof(Real));
  constexpr unsigned kAll = (1u << kLanes) - 1;
  constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();
  using V = Pack<Real, Bytes>;
  for (unsigned bits = 0; bits <= kAll; bits += kLanes <= 8 ? 1 : 13) {
    V lanes{};
    for (int lane = 0; lane < kLanes; ++lane)
      lanes[lane] = bits >> lane & 1 ? Real(-lane - 1) : kNone;

    const V kept = keep_lanes<Real, Bytes>(lanes, bits);
    for (int lane = 0; lane < kLanes; ++lane)
      CHECK_EQUAL(kept[lane], bits >> lane & 1 ? -lane - 1 : 0);
  }
  const V kept = keep_lanes<Real, Bytes>(V{} + Real(2), kAll);
  CHECK_EQUAL((sum_lanes<Real, Bytes>(kept)), 2 * kLanes);
}

template <class Real, int Bytes>
void check_packs() {
  check_folds<Real, Bytes>();
  check_chosen_lanes<Real, Bytes>();
}

template <class Real>
void check_layout() {
  for (int classes = 1; classes <= 400; ++classes) {
    const ClassLayout layout = ClassLayout::of<Real>(classes);
    const int lanes = layout.bytes / int(sizeof(Real));
    CHECK_EQUAL(layout.classes, classes);
    CHECK(layout.bytes == kNativeBytes || 2 * layout.bytes == kNativeBytes);
    CHECK(layout.bytes >= 16);
    CHECK_EQUAL(layout.stride, layout.packs * lanes);
    CHECK(layout.stride >= classes && layout.stride - classes < lanes);
    with_pack_bytes(layout.bytes, [&](auto bytes) { CHECK_EQUAL(bytes(), layout.bytes); });
    with_pack_count(layout.packs, [&](auto packs) {
      CHECK_EQUAL(packs(), layout.packs <= 4 ? layout.packs : 0);
    });
  }
}

// Every position of one or two non-zeros, none, and all; minus zero is zero.
template <class Real>
void check_nonzeros() {
  constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  for (int packs : {0, 1, 3}) {
    const int size = packs * kLanes;
    AlignedArray<Real> values(size);
    const auto found = [&] {
      std::vector<int> positions;
      for_each_nonzero(values.data(), size, [&](int m) { positions.push_back(m); });
      return positions;
    };
    CHECK(found().empty());
    for (int first = 0; first < size; ++first)
      for (int second = first; second < size; ++second) {
        values.clear();
        values[size - 1 - second] = Real(-0.0);
        values[first] = std::numeric_limits<Real>::denorm_min();
        values[second] = Real(-2);
        CHECK(found() == (first == second ? std::vector{first} : std::vector{first, second}));
      }
    std::vector<int> all(size);
    for (int m = 0; m < size; ++m) {
      values[m] = Real(m + 1);
      all[m] = m;
    }
    CHECK(found() == all);
  }
}

void check_tiles() {
  for (int first : {0, 3})
    for (int last = first; last < 40; ++last) {
      int next = first;
      for_each_tile(first, last, [&](auto tile, int start) {
        CHECK_EQUAL(start, next);
        CHECK(tile() >= 1 && tile() <= 8);
        next += tile();
      });
      CHECK_EQUAL(next, last);
    }
}

void check_nowhere() {
  // Two of them still add up to a number, and so do a few lanes of them.
  CHECK(std::isfinite(kNowhere<float> + kNowhere<float>));
  CHECK(std::isfinite(kNowhere<double> + kNowhere<double>));
  CHECK(kNowhere<float> < -1e37f && kNowhere<double> < -1e307);
}

void run_tests() {
  check_packs<float, 16>();
  check_packs<double, 16>();
  if constexpr (kNativeBytes >= 32) {
    check_packs<float, 32>();
    check_packs<double, 32>();
  }
  if constexpr (kNativeBytes >= 64) {
    check_packs<float, 64>();
    check_packs<double, 64>();
  }
  check_layout<float>();
  check_layout<double>();
  check_nonzeros<float>();
  check_nonzeros<double>();
  check_tiles();
  check_nowhere();
}

}  // namespace polymargin::test::test_simd
