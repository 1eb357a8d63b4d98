#include <set>

#include "polymargin/access/rows.hpp"
#include "polymargin/access/subset.hpp"
#include "problems.hpp"

namespace polymargin::test::test_packed_weights {

// Random pairs and weights, packed and as a plain array beside a mask. Some features have no class,
// some few, some nearly all and some all of them.
template <class Real>
class PackedTest {
 public:
  PackedTest(unsigned seed, int columns, int classes, double density, Storage storage, Real bias)
      : source_(seed),
        matrix_(source_, 3, columns, density),
        classes_(classes),
        bias_(bias),
        rows_(matrix_.view(storage, bias)),
        features_(int(rows_->features())),
        layout_(ClassLayout::of<Real>(classes)),
        packed_(features_, layout_),
        kept_(features_ * classes),
        weights_(features_ * classes) {
    const double shares[] = {0, 0.05, 0.3, 0.6, 0.95, 1};
    for (int f = 0; f < features_; ++f) {
      const double share = shares[source_.integer(0, 5)];
      for (int m = 0; m < classes; ++m) kept_[at(f, m)] = source_.chance(share);
    }
    for (int m = 0; m < classes; ++m) kept_[at(0, m)] = false;
    for (int p = 0; p < int(kept_.size()); ++p) {
      if (!kept_[p]) continue;
      packed_.add_pair(p / classes, p % classes);
      packed_.add_pair(p / classes, p % classes);  // a second time changes nothing
    }
    packed_.pack();
  }

  void run() {
    check_pairs();
    fill();
    check_same(0);
    check_norm();
    const int first = layout_.packs / 3, last = (2 * layout_.packs + 2) / 3;
    for (int i = 0; i < matrix_.rows(); ++i) {
      check_scores(i, 0, layout_.packs);
      check_scores(i, first, last);
      check_add(i, 0, layout_.packs);
      check_add(i, first, last);
      check_some_classes(i);
    }
    for (int round = 0; round < 6; ++round) check_add(round % matrix_.rows(), 0, layout_.packs);
    check_norm();
    check_clear();
  }

 private:
  int at(int f, int m) const { return f * classes_ + m; }
  int lanes() const { return layout_.stride / layout_.packs; }
  Wide value(int i, int f) const { return f < matrix_.columns() ? matrix_.at(i, f) : bias_; }
  Wide score(int i, int m) const {
    Wide sum = 0;
    for (int f = 0; f < features_; ++f) sum += value(i, f) * weights_[at(f, m)];
    return sum;
  }
  Wide tolerance() const { return 20 * (features_ + 20) * kRounding<Real>; }
  Wide half_norm() const {
    Wide sum = 0;
    for (Wide w : weights_) sum += w * w;
    return sum / 2;
  }

  void check_pairs() const {
    std::set<const Real*> places;
    std::int64_t count = 0;
    for (int f = 0; f < features_; ++f) {
      int of_feature = 0;
      for (int m = 0; m < classes_; ++m) {
        const Real* weight = packed_.of_pair(f, m);
        CHECK_EQUAL(weight != nullptr, kept_[at(f, m)]);
        if (!weight) continue;
        CHECK_EQUAL(*weight, 0);
        places.insert(weight);
        ++of_feature;
      }
      CHECK_EQUAL(packed_.place(f) >= 0, 4 * of_feature > layout_.stride);
      count += of_feature;
    }
    CHECK_EQUAL(packed_.features(), features_);
    CHECK_EQUAL(packed_.size(), count);
    CHECK_EQUAL(places.size(), std::size_t(count));  // no two pairs share a place
    CHECK_EQUAL(packed_.squared_norm(), 0);
  }

  void fill() {
    for (int f = 0; f < features_; ++f)
      for (int m = 0; m < classes_; ++m)
        if (kept_[at(f, m)]) {
          *packed_.of_pair(f, m) = Real(source_.bell());
          weights_[at(f, m)] = *packed_.of_pair(f, m);
        }
  }

  // The same pairs in the same order, and their weights.
  void check_same(Wide allowed) const {
    int next = 0;
    packed_.for_each_pair([&](std::int64_t f, std::int32_t m, Real weight) {
      for (; next < at(int(f), m); ++next) CHECK(!kept_[next]);
      CHECK_EQUAL(next, at(int(f), m));
      CHECK(kept_[next]);
      CHECK_NEAR(weight, weights_[next], allowed);
      CHECK_EQUAL(*packed_.of_pair(f, m), weight);
      ++next;
    });
    for (; next < int(kept_.size()); ++next) CHECK(!kept_[next]);
  }

  // The whole rows have lanes for absent pairs, which count if they are not zero.
  void check_norm() const {
    CHECK_NEAR(packed_.squared_norm() / 2, half_norm(), tolerance() * (1 + half_norm()));
  }

  void check_scores(int i, int first, int last) const {
    AlignedArray<Real> scores(layout_.stride);
    std::fill_n(scores.data(), layout_.stride, Real(-77));
    rows_->scores(i, packed_, scores.data(), first, last);
    for (int m = 0; m < layout_.stride; ++m) {
      const bool inside = m >= first * lanes() && m < last * lanes();
      const Wide expected = !inside ? -77 : m < classes_ ? score(i, m) : 0;
      CHECK_NEAR(scores[m], expected, inside ? tolerance() * (1 + std::fabs(expected)) : 0);
    }
  }

  // The addition to the plain weights; afterwards both are compared and made equal.
  template <class Add>
  void check_added(Add&& add, const std::vector<Wide>& change, int i) {
    add();
    for (int f = 0; f < features_; ++f)
      for (int m = 0; m < classes_; ++m)
        if (kept_[at(f, m)]) {
          const Wide delta = value(i, f) * change[m];
          const Real* weight = packed_.of_pair(f, m);
          CHECK_NEAR(*weight, weights_[at(f, m)] + delta, delta != 0 ? tolerance() : 0);
          weights_[at(f, m)] = *weight;
        }
    check_same(0);
    check_norm();
  }

  void check_add(int i, int first, int last) {
    AlignedArray<Real> change(layout_.stride);
    std::vector<Wide> expected(classes_);
    for (int m = 0; m < classes_; ++m) {
      change[m] = Real(source_.bell());
      if (m >= first * lanes() && m < last * lanes()) expected[m] = change[m];
    }
    check_added([&] { rows_->add(i, packed_, change.data(), first, last); }, expected, i);
    check_scores(i, 0, layout_.packs);
  }

  void check_some_classes(int i) {
    std::vector<std::int32_t> some;
    for (int m = classes_ - 1; m >= 0; m -= 2) some.push_back(m);
    const int count = int(some.size());
    std::vector<Real> scores(count), change(count);
    std::vector<Wide> expected(classes_);
    rows_->scores_of(i, packed_, some.data(), count, scores.data());
    for (int c = 0; c < count; ++c) {
      const Wide s = score(i, some[c]);
      CHECK_NEAR(scores[c], s, tolerance() * (1 + std::fabs(s)));
      change[c] = Real(source_.bell());
      expected[some[c]] = change[c];
    }
    check_added([&] { rows_->add_to(i, packed_, some.data(), count, change.data()); }, expected, i);
  }

  void check_clear() {
    packed_.clear();
    check_pairs();  // all of them are still there, and zero
    AlignedArray<Real> scores(layout_.stride);
    rows_->scores(0, packed_, scores.data(), 0, layout_.packs);
    for (int m = 0; m < layout_.stride; ++m) CHECK_EQUAL(scores[m], 0);
  }

  Source source_;
  Matrix<Real> matrix_;
  const int classes_;
  const Real bias_;
  std::shared_ptr<const Rows<Real>> rows_;
  const int features_;
  ClassLayout layout_;
  PackedWeights<Real> packed_;
  std::vector<bool> kept_;
  std::vector<Wide> weights_;
};

// Features that only zeros of the data meet are not among those of a row; the constant one is.
template <class Real>
void check_features_of() {
  Source source(1);
  const Matrix<Real> matrix(source, 4, 30, 0.3);
  for (Storage storage : kStorages)
    for (Real bias : {Real(0), Real(1.5)}) {
      const auto rows = matrix.view(storage, bias);
      const RowsSubset<Real> backwards(rows, {3, 2, 1, 0});
      for (int i = 0; i < matrix.rows(); ++i) {
        std::vector<std::int64_t> expected;
        for (int f = 0; f < matrix.columns(); ++f)
          if (matrix.at(i, f) != 0) expected.push_back(f);
        if (bias != 0) expected.push_back(matrix.columns());
        CHECK(rows->features_of(i) == expected);
        CHECK(backwards.features_of(3 - i) == expected);
      }
    }
}

// A subset hands everything on to the row that was chosen.
template <class Real>
void check_subset() {
  Source source(2);
  const Matrix<Real> matrix(source, 4, 12, 0.5);
  const auto rows = matrix.view(Storage::csr32, Real(1));
  const RowsSubset<Real> backwards(rows, {3, 2, 1, 0});
  const ClassLayout layout = ClassLayout::of<Real>(5);
  const std::int32_t classes[] = {4, 1};
  AlignedArray<Real> change(layout.stride),
      scores[2]{AlignedArray<Real>(layout.stride), AlignedArray<Real>(layout.stride)};
  for (int m = 0; m < 5; ++m) change[m] = Real(source.bell());
  Real listed[2][2];
  for (int which = 0; which < 2; ++which) {
    const Rows<Real>& some = which == 0 ? *rows : static_cast<const Rows<Real>&>(backwards);
    PackedWeights<Real> packed(13, layout);
    for (int f = 0; f < 13; ++f)
      for (int m = f % 3; m < 5; m += 2) packed.add_pair(f, m);
    packed.pack();
    const int i = which == 0 ? 1 : 2;
    some.add(i, packed, change.data(), 0, layout.packs);
    some.add_to(i, packed, classes, 2, change.data());
    some.scores(i, packed, scores[which].data(), 0, layout.packs);
    some.scores_of(i, packed, classes, 2, listed[which]);
  }
  for (int m = 0; m < 5; ++m) CHECK_EQUAL(scores[0][m], scores[1][m]);
  for (int c = 0; c < 2; ++c) CHECK_EQUAL(listed[0][c], listed[1][c]);
}

// Up to 256 values of a row are looked up at a time, and the constant feature is one more.
template <class Real>
void check_all() {
  unsigned seed = 0;
  for (int classes : {1, 3, 17, 40, 150})
    for (Real bias : {Real(0), Real(1.5)}) {
      for (Storage storage : kStorages)
        PackedTest<Real>(++seed, 23, classes, 0.4, storage, bias).run();
      for (int columns : {254, 255, 256, 257, 600}) {
        PackedTest<Real>(++seed, columns, classes, 1, Storage::csr32, bias).run();
        PackedTest<Real>(++seed, columns, classes, 1, Storage::dense_c, bias).run();
      }
    }
  check_features_of<Real>();
  check_subset<Real>();
}

void run_tests() {
  check_all<float>();
  check_all<double>();
}

}  // namespace polymargin::test::test_packed_weights
