#include "check.hpp"
#include "polymargin/access/dual_blocks.hpp"

namespace polymargin::test::test_dual_blocks {

template <class Real>
using Entries = std::vector<typename DualBlocks<Real>::Entry>;

template <class Real>
Entries<Real> entries_of(const DualBlocks<Real>& blocks, std::int64_t i) {
  Entries<Real> entries;
  blocks.for_each(i, [&](std::int32_t m, Real value) { entries.push_back({m, value}); });
  return entries;
}

template <class Real>
void check_entries(const Entries<Real>& got, const Entries<Real>& expected) {
  CHECK_EQUAL(got.size(), expected.size());
  for (std::size_t e = 0; e < std::min(got.size(), expected.size()); ++e) {
    CHECK_EQUAL(got[e].label, expected[e].label);
    CHECK_EQUAL(got[e].value, expected[e].value);
  }
}

template <class Real>
void check_set(int classes) {
  DualBlocks<Real> blocks(3, ClassLayout::of<Real>(classes));
  CHECK_EQUAL(blocks.examples(), 3);
  CHECK_EQUAL(blocks.sparse(), classes > kDenseClasses);
  for (int i = 0; i < 3; ++i) CHECK(entries_of(blocks, i).empty());
  const Entries<Real> entries{{0, Real(0.5)}, {classes - 1, Real(2)}};
  blocks.set(1, entries);
  check_entries<Real>(entries_of(blocks, 1), entries);
  CHECK(entries_of(blocks, 0).empty());
  CHECK(entries_of(blocks, 2).empty());
  const Entries<Real> others{{1, Real(3)}};
  blocks.set(1, others);
  check_entries<Real>(entries_of(blocks, 1), others);
}

template <class Real>
void check_dense_rows() {
  const ClassLayout layout = ClassLayout::of<Real>(5);
  DualBlocks<Real> blocks(4, layout);
  for (int i = 0; i < 4; ++i) blocks.dense(i)[i] = Real(i + 1);
  for (int i = 0; i < 4; ++i) check_entries<Real>(entries_of(blocks, i), {{i, Real(i + 1)}});
  CHECK_EQUAL(blocks.dense(3) - blocks.dense(0), 3 * layout.stride);
}

template <class Real>
void check_assign() {
  const int classes = 100;
  const ClassLayout layout = ClassLayout::of<Real>(classes);
  DualBlocks<Real> blocks(2, layout);
  AlignedArray<Real> block(layout.stride);
  std::fill_n(block.data(), classes, Real(1));
  blocks.assign(0, block.data());
  CHECK_EQUAL(blocks.list(0).size(), std::size_t(classes));

  block.clear();
  block[3] = 2;
  block[99] = 4;
  blocks.assign(0, block.data());
  check_entries<Real>(blocks.list(0), {{3, 2}, {99, 4}});
  CHECK(blocks.list(0).capacity() < 10);

  const Real values[] = {5, 0, 7};
  const std::int32_t names[] = {10, 20, 30};
  blocks.assign(0, values, names, 3);
  check_entries<Real>(blocks.list(0), {{10, 5}, {30, 7}});
  CHECK(blocks.list(1).empty());
}

template <class Real>
void check_real() {
  for (int classes : {2, 20, kDenseClasses, kDenseClasses + 1, 300}) check_set<Real>(classes);
  check_dense_rows<Real>();
  check_assign<Real>();
}

// Lists of few classes, of which some are replaced and the others stay, in their order.
template <class Real>
void check_merge() {
  DualBlocks<Real> blocks(1, ClassLayout::of<Real>(6), false, true, true);
  CHECK(blocks.sparse());
  CHECK(!DualBlocks<Real>(1, ClassLayout::of<Real>(6), true, true, true).sparse());
  blocks.set(0, {{0, Real(1)}, {2, Real(2)}, {3, Real(3)}, {5, Real(4)}});
  const Real values[] = {7, 0, 8, 9};
  const std::int32_t classes[] = {1, 2, 3, 4};
  blocks.merge(0, values, classes, 4);  // 1 and 4 enter, 2 leaves, 3 changes
  check_entries<Real>(entries_of(blocks, 0),
                      {{0, Real(1)}, {1, Real(7)}, {3, Real(8)}, {4, Real(9)}, {5, Real(4)}});
}

void run_tests() {
  check_merge<float>();
  check_merge<double>();
  check_real<float>();
  check_real<double>();
}

}  // namespace polymargin::test::test_dual_blocks
