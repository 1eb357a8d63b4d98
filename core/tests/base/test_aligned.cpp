#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "polymargin/base/aligned.hpp"

namespace polymargin::test::test_aligned {

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

  // What wraps or cannot be had is an error that says so, not a small array.
  std::vector<std::size_t> sizes{std::size_t(-1) / 8 + 2};
#ifndef __SANITIZE_ADDRESS__  // which ends the program instead
  sizes.push_back(std::size_t(1) << 56);
#endif
  for (std::size_t size : sizes) {
    bool refused = false;
    try {
      AlignedArray<double> array(size);
    } catch (const std::bad_alloc& error) {
      refused = std::string(error.what()).find("GB of memory") != std::string::npos;
    }
    CHECK(refused);
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

}  // namespace polymargin::test::test_aligned
