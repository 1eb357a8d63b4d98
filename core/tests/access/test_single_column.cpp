// One class: the weights are not padded, and the products run over the features of a row.
#include "polymargin/access/rows.hpp"
#include "problems.hpp"

namespace polymargin::test::test_single_column {

template <class Real>
class SingleColumn {
 public:
  SingleColumn(unsigned seed, int columns, double density, Storage storage, Real bias)
      : source_(seed),
        matrix_(source_, 5, columns, density),
        bias_(bias),
        rows_(matrix_.view(storage, bias)),
        layout_(ClassLayout::of<Real>(1)),
        weights_(rows_->features(), layout_) {
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      *weights_.of_feature(f) = Real(source_.bell());
  }

  void run() {
    check_shape();
    for (int i = 0; i < matrix_.rows(); ++i) {
      check_score(i);
      check_add(i);
      check_listed(i);
    }
    check_center();
  }

 private:
  using Vector = std::vector<Wide>;

  Wide value(int i, std::int64_t f) const {
    return f < matrix_.columns() ? matrix_.at(i, int(f)) : bias_;
  }
  Vector copy_of_weights() const {
    return {weights_.of_feature(0), weights_.of_feature(0) + weights_.features()};
  }
  // <w, x>, and the sum of the sizes of its terms.
  std::pair<Wide, Wide> score(int i) const {
    Wide sum = 0, size = 0;
    for (std::int64_t f = 0; f < weights_.features(); ++f) {
      const Wide term = value(i, f) * *weights_.of_feature(f);
      sum += term;
      size += std::fabs(term);
    }
    return {sum, size};
  }

  // The weights lie side by side, and nothing else does.
  void check_shape() {
    CHECK(weights_.single());
    CHECK(!Weights<Real>(3, ClassLayout::of<Real>(2)).single());
    CHECK_EQUAL(weights_.features(), matrix_.columns() + (bias_ != 0));
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      CHECK_EQUAL(weights_.of_feature(f) - weights_.of_feature(0), f);
    Wide norm = 0;
    for (Wide w : copy_of_weights()) norm += w * w;
    CHECK_NEAR(weights_.squared_norm(), norm, 1e-12L * norm);
  }

  // Only the first score is written.
  void check_score(int i) const {
    AlignedArray<Real> scores(layout_.stride);
    std::fill_n(scores.data(), layout_.stride, Real(-77));
    rows_->scores(i, weights_, scores.data(), 0, layout_.packs);
    const auto [expected, size] = score(i);
    CHECK_NEAR(scores[0], expected, 8 * kRounding<Real> * size);
    for (int m = 1; m < layout_.stride; ++m) CHECK_EQUAL(scores[m], -77);
  }

  // Features that the row has not are left alone, to the bit.
  void check_add(int i) {
    AlignedArray<Real> change(layout_.stride);
    std::fill_n(change.data(), layout_.stride, Real(-77));
    change[0] = Real(source_.bell());
    const Vector before = copy_of_weights();
    rows_->add(i, weights_, change.data(), 0, layout_.packs);
    check_added(i, before, change[0]);
  }

  void check_listed(int i) {
    const std::int32_t only = 0;
    Real found = -77;
    rows_->scores_of(i, weights_, &only, 1, &found);
    const auto [expected, size] = score(i);
    CHECK_NEAR(found, expected, (8 + matrix_.columns()) * kRounding<Real> * size);
    const Real change = Real(source_.bell());
    const Vector before = copy_of_weights();
    rows_->add_to(i, weights_, &only, 1, &change);
    check_added(i, before, change);
  }

  void check_added(int i, const Vector& before, Wide change) const {
    const Vector after = copy_of_weights();
    for (std::size_t f = 0; f < after.size(); ++f) {
      const Wide added = value(i, std::int64_t(f)) * change;
      const Wide size = std::fabs(before[f]) + std::fabs(added);
      CHECK_NEAR(after[f], before[f] + added, added == 0 ? 0 : 2 * kRounding<Real> * size);
    }
  }

  // release() gives the weights as they are; the mean over a single class is the weight itself.
  void check_center() {
    const Vector before = copy_of_weights();
    Weights<Real> copy(weights_.features(), layout_);
    for (std::int64_t f = 0; f < weights_.features(); ++f)
      *copy.of_feature(f) = *weights_.of_feature(f);
    const AlignedArray<Real> plain = copy.release();
    CHECK_EQUAL(plain.size(), before.size());
    for (std::size_t f = 0; f < before.size(); ++f) CHECK_EQUAL(plain[f], before[f]);
    weights_.center();
    CHECK_EQUAL(weights_.squared_norm(), 0);
  }

  Source source_;
  Matrix<Real> matrix_;
  const Real bias_;
  std::shared_ptr<const Rows<Real>> rows_;
  ClassLayout layout_;
  Weights<Real> weights_;
};

// Rows shorter and longer than two packs of every width, and with every remainder by four.
template <class Real>
void check_all() {
  unsigned seed = 0;
  for (int columns : {1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 23, 31, 32, 33, 47, 64, 66, 100})
    for (double density : {0.0, 0.4, 1.0})
      for (Storage storage : kStorages)
        for (Real bias : {Real(0), Real(1.5)})
          SingleColumn<Real>(++seed, columns, density, storage, bias).run();
}

void run_tests() {
  check_all<float>();
  check_all<double>();
}

}  // namespace polymargin::test::test_single_column
