#include "check.hpp"
#include "polymargin/access/label_sets.hpp"

namespace polymargin::test::test_label_sets {

void run_tests() {
  const LabelSets sets({0, 2, 2, 5}, {1, 4, 0, 2, 4});
  CHECK_EQUAL(sets.of(0).size(), 2u);
  CHECK(sets.of(1).empty());

  double all[] = {1, 2, 3, 4, 5};
  sets.flip(0, all);
  const double expected[] = {1, -2, 3, 4, -5};
  for (int m = 0; m < 5; ++m) CHECK_EQUAL(all[m], expected[m]);
  sets.flip(0, all);  // and back
  sets.flip(1, all);  // no label, nothing to do
  for (int m = 0; m < 5; ++m) CHECK_EQUAL(all[m], double(m + 1));

  // Of some classes: labels that are not listed, and listed classes that are no labels.
  const std::int32_t listed[] = {1, 2, 3, 4};
  float some[] = {10, 20, 30, 40};
  sets.flip(2, listed, 4, some);
  CHECK_EQUAL(some[0], 10.0f);
  CHECK_EQUAL(some[1], -20.0f);
  CHECK_EQUAL(some[2], 30.0f);
  CHECK_EQUAL(some[3], -40.0f);
  sets.flip(2, listed, 1, some);
  CHECK_EQUAL(some[0], 10.0f);
}

}  // namespace polymargin::test::test_label_sets
