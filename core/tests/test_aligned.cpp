#include <cstdint>
#include <utility>

#include "check.hpp"
#include "polymargin/base/aligned.hpp"

namespace polymargin::test {

void run_tests() {
  for (std::size_t size : {0u, 1u, 3u, 17u, 1000u}) {
    AlignedArray<float> array(size);
    CHECK_EQUAL(array.size(), size);
    CHECK_EQUAL(reinterpret_cast<std::uintptr_t>(array.data()) % kAlignment, 0u);
    for (std::size_t i = 0; i < size; ++i) {
      CHECK_EQUAL(array[i], 0);
      array[i] = 1;
    }
    array.clear();
    for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(array[i], 0);
  }

  AlignedArray<double> first(2);
  first[1] = 7;
  const double* data = first.data();
  AlignedArray<double> second(std::move(first));
  CHECK(second.data() == data);
  CHECK_EQUAL(second[1], 7);
  AlignedArray<double> third;
  third = std::move(second);
  CHECK_EQUAL(third.size(), 2u);
  CHECK_EQUAL(third[1], 7);
  third.resize(5);
  CHECK_EQUAL(third.size(), 5u);
  CHECK_EQUAL(third[1], 0);
}

}  // namespace polymargin::test
