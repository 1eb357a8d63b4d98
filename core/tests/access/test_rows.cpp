#include "polymargin/access/rows.hpp"
#include "problems.hpp"

namespace polymargin::test::test_rows {

template <class Real>
class RowsTest {
 public:
  RowsTest(unsigned seed, int classes, Storage storage, Real bias)
      : source_(seed),
        matrix_(source_, 6, 23, 0.4),
        classes_(classes),
        storage_(storage),
        bias_(bias),
        rows_(matrix_.view(storage, bias)),
        layout_(ClassLayout::of<Real>(classes)),
        weights_(rows_->features(), layout_) {
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      for (int m = 0; m < classes; ++m) weights_.of_feature(f)[m] = Real(source_.bell());
  }

  void run() {
    check_shape();
    for (int i = 0; i < matrix_.rows(); ++i) {
      check_scores(i, 0, layout_.packs);
      check_scores(i, layout_.packs / 3, (2 * layout_.packs + 2) / 3);
      check_add(i, 0, layout_.packs);
      check_add(i, layout_.packs / 3, (2 * layout_.packs + 2) / 3);
      check_some_classes(i);
    }
    check_release();
    check_squared_norm();
  }

 private:
  Wide value(int i, std::int64_t f) const {
    return f < matrix_.columns() ? matrix_.at(i, int(f)) : bias_;
  }
  Wide score(int i, int m) const {
    Wide sum = 0;
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      sum += value(i, f) * weights_.of_feature(f)[m];
    return sum;
  }
  static constexpr Wide kTolerance = 400 * kRounding<Real>;
  int lanes() const { return layout_.stride / layout_.packs; }

  void check_shape() const {
    CHECK_EQUAL(rows_->size(), matrix_.rows());
    CHECK_EQUAL(rows_->features(), matrix_.columns() + (bias_ != 0));
    for (int i = 0; i < matrix_.rows(); ++i) {
      rows_->prefetch(i);
      CHECK_EQUAL(rows_->row_length(i), is_dense(storage_) ? matrix_.columns() : matrix_.count(i));
      Wide norm = 0;
      for (std::int64_t f = 0; f < rows_->features(); ++f) norm += value(i, f) * value(i, f);
      CHECK_NEAR(rows_->squared_norm(i), norm, kTolerance);
    }
  }

  // Packs outside [first, last) are not written.
  void check_scores(int i, int first, int last) const {
    AlignedArray<Real> scores(layout_.stride);
    std::fill_n(scores.data(), layout_.stride, Real(-77));
    rows_->scores(i, weights_, scores.data(), first, last);
    for (int m = 0; m < layout_.stride; ++m) {
      const bool inside = m >= first * lanes() && m < last * lanes();
      const Wide expected = !inside ? -77 : m < classes_ ? score(i, m) : 0;
      CHECK_NEAR(scores[m], expected, inside ? kTolerance : 0);
    }
  }

  void check_add(int i, int first, int last) {
    AlignedArray<Real> change(layout_.stride);
    for (int m = 0; m < classes_; ++m) change[m] = Real(source_.bell());
    Weights<Real> updated(weights_.features(), layout_);
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      std::copy_n(weights_.of_feature(f), layout_.stride, updated.of_feature(f));
    rows_->add(i, updated, change.data(), first, last);
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      for (int m = 0; m < layout_.stride; ++m) {
        const bool inside = m >= first * lanes() && m < last * lanes();
        const Wide added = inside ? value(i, f) * change[m] : 0;
        CHECK_NEAR(updated.of_feature(f)[m], weights_.of_feature(f)[m] + added, kTolerance);
      }
  }

  void check_some_classes(int i) {
    std::vector<std::int32_t> some;
    for (int m = classes_ - 1; m >= 0; m -= 2) some.push_back(m);
    std::vector<Real> scores(some.size()), change(some.size());
    const int count = int(some.size());
    rows_->scores_of(i, weights_, some.data(), count, scores.data());
    std::vector<Wide> expected(classes_);
    for (int m = 0; m < classes_; ++m) expected[m] = score(i, m);
    for (int c = 0; c < count; ++c) {
      CHECK_NEAR(scores[c], expected[some[c]], kTolerance);
      change[c] = Real(source_.bell());
    }
    Wide norm = 0;
    for (std::int64_t f = 0; f < weights_.features(); ++f) norm += value(i, f) * value(i, f);
    rows_->add_to(i, weights_, some.data(), count, change.data());
    for (int c = 0; c < count; ++c) expected[some[c]] += norm * change[c];
    for (int m = 0; m < classes_; ++m) CHECK_NEAR(score(i, m), expected[m], 10 * kTolerance);
  }

  void check_release() const {
    Weights<Real> copy(weights_.features(), layout_);
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      std::copy_n(weights_.of_feature(f), layout_.stride, copy.of_feature(f));
    const AlignedArray<Real> plain = copy.release();
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      for (int m = 0; m < classes_; ++m)
        CHECK_EQUAL(plain[f * classes_ + m], weights_.of_feature(f)[m]);
  }

  void check_squared_norm() {
    Wide norm = 0;
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      for (int m = 0; m < classes_; ++m)
        norm += Wide(weights_.of_feature(f)[m]) * weights_.of_feature(f)[m];
    CHECK_NEAR(weights_.squared_norm(), norm, 1e-12L * norm);
    weights_.clear();
    CHECK_EQUAL(weights_.squared_norm(), 0);
  }

  Source source_;
  Matrix<Real> matrix_;
  const int classes_;
  const Storage storage_;
  const Real bias_;
  std::shared_ptr<const Rows<Real>> rows_;
  ClassLayout layout_;
  Weights<Real> weights_;
};

// 1 to 18 packs of every width: all tiles, and rows longer than eight packs.
template <class Real>
void check_all() {
  unsigned seed = 0;
  for (int classes : {2, 3, 5, 8, 13, 20, 31, 50, 64, 65, 130, 271})
    for (Storage storage : kStorages)
      for (Real bias : {Real(0), Real(1.5)}) RowsTest<Real>(++seed, classes, storage, bias).run();
}

void run_tests() {
  check_all<float>();
  check_all<double>();
}

}  // namespace polymargin::test::test_rows
