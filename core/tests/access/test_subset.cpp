#include "polymargin/access/subset.hpp"
#include "problems.hpp"

namespace polymargin::test::test_subset {

// Every question about row i of the subset is answered as the whole answers it about row chosen[i].
template <class Real>
void check_subset(int classes, Storage storage, Real bias) {
  Source source(unsigned(classes) + 1);
  const Matrix<Real> matrix(source, 9, 19, 0.5);
  const auto whole = matrix.view(storage, bias);
  const std::vector<std::int32_t> chosen{8, 0, 3, 3, 5};  // any order, and one of them twice
  const RowsSubset<Real> subset(whole, chosen);
  CHECK_EQUAL(subset.size(), 5);
  CHECK_EQUAL(subset.features(), whole->features());

  const ClassLayout layout = ClassLayout::of<Real>(classes);
  Weights<Real> weights(whole->features(), layout), left(whole->features(), layout),
      right(whole->features(), layout);
  for (std::int64_t f = 0; f < weights.features(); ++f)
    for (int m = 0; m < classes; ++m) weights.of_feature(f)[m] = Real(source.bell());
  AlignedArray<Real> change(layout.stride), own(layout.stride), expected(layout.stride);
  for (int m = 0; m < classes; ++m) change[m] = Real(source.bell());
  std::vector<std::int32_t> some;
  for (int m = classes - 1; m >= 0; m -= 2) some.push_back(m);
  const int count = int(some.size());

  for (int i = 0; i < int(chosen.size()); ++i) {
    const int row = chosen[i];
    subset.prefetch_place(i);
    subset.prefetch(i);
    CHECK_EQUAL(subset.row_length(i), whole->row_length(row));
    CHECK_EQUAL(subset.squared_norm(i), whole->squared_norm(row));
    own.clear();
    expected.clear();
    subset.scores(i, weights, own.data(), 0, layout.packs);
    whole->scores(row, weights, expected.data(), 0, layout.packs);
    for (int m = 0; m < classes; ++m) CHECK_EQUAL(own[m], expected[m]);
    CHECK(own[0] != 0);
    subset.scores_of(i, weights, some.data(), count, own.data());
    whole->scores_of(row, weights, some.data(), count, expected.data());
    for (int c = 0; c < count; ++c) CHECK_EQUAL(own[c], expected[c]);

    subset.add(i, left, change.data(), 0, layout.packs);
    whole->add(row, right, change.data(), 0, layout.packs);
    subset.add_to(i, left, some.data(), count, change.data());
    whole->add_to(row, right, some.data(), count, change.data());
    CHECK(left.squared_norm() > 0);
    for (std::int64_t f = 0; f < left.features(); ++f)
      for (int m = 0; m < classes; ++m) CHECK_EQUAL(left.of_feature(f)[m], right.of_feature(f)[m]);
  }
}

template <class Real>
void check_all() {
  for (int classes : {1, 3, 40})
    for (Storage storage : kStorages)
      for (Real bias : {Real(0), Real(1.5)}) check_subset<Real>(classes, storage, bias);
}

void run_tests() {
  check_all<float>();
  check_all<double>();
}

}  // namespace polymargin::test::test_subset
