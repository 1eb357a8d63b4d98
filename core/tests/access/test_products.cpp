#include "polymargin/access/products.hpp"
#include "problems.hpp"

namespace polymargin::test::test_products {

template <class Real>
class ProductsTest {
 public:
  ProductsTest(unsigned seed, int size, int classes, Storage storage, Real bias)
      : source_(seed),
        matrix_(source_, size, 9, 0.5),
        bias_(bias),
        rows_(matrix_.view(storage, bias)),
        layout_(ClassLayout::of<Real>(classes)),
        v_(rows_->features(), layout_),
        d_(std::size_t(size) * classes) {
    for (std::int64_t f = 0; f < v_.features(); ++f)
      for (int m = 0; m < classes; ++m) v_.of_feature(f)[m] = Real(source_.bell());
    // Some rows of D are zero.
    for (int i = 0; i < size; ++i)
      for (int m = 0; m < classes; ++m) d_[i * classes + m] = i % 3 ? Real(source_.bell()) : 0;
  }

  void run() const {
    const int classes = layout_.classes;
    std::vector<Real> scores(d_.size());
    products(*rows_, v_, scores.data(), 1);
    for (int i = 0; i < matrix_.rows(); ++i)
      for (int m = 0; m < classes; ++m)
        CHECK_NEAR(scores[i * classes + m], score(i, m), kTolerance);

    Weights<Real> sums(v_.features(), layout_), curved(v_.features(), layout_);
    sums.of_feature(0)[0] = 77;  // what was there does not matter
    transposed_products(*rows_, d_.data(), sums, 1);
    curvature_products(*rows_, v_, d_.data(), curved, 1);
    for (std::int64_t f = 0; f < v_.features(); ++f)
      for (int m = 0; m < classes; ++m) {
        Wide sum = 0, curve = 0;
        for (int i = 0; i < matrix_.rows(); ++i) {
          sum += value(i, f) * d_[i * classes + m];
          curve += value(i, f) * d_[i * classes + m] * score(i, m);
        }
        CHECK_NEAR(sums.of_feature(f)[m], sum, kTolerance * matrix_.rows());
        CHECK_NEAR(curved.of_feature(f)[m], curve, 10 * kTolerance * matrix_.rows());
      }
    check_threads(scores, sums, curved);
  }

 private:
  // Bit for bit the same.
  void check_threads(const std::vector<Real>& scores, const Weights<Real>& sums,
                     const Weights<Real>& curved) const {
    for (int threads : {2, 5}) {
      std::vector<Real> other(scores.size());
      products(*rows_, v_, other.data(), threads);
      for (std::size_t at = 0; at < scores.size(); ++at) CHECK_EQUAL(other[at], scores[at]);
      Weights<Real> again(v_.features(), layout_);
      transposed_products(*rows_, d_.data(), again, threads);
      check_same(again, sums);
      curvature_products(*rows_, v_, d_.data(), again, threads);
      check_same(again, curved);
    }
  }

  void check_same(const Weights<Real>& found, const Weights<Real>& expected) const {
    for (std::int64_t f = 0; f < v_.features(); ++f)
      for (int m = 0; m < layout_.classes; ++m)
        CHECK_EQUAL(found.of_feature(f)[m], expected.of_feature(f)[m]);
  }

  Wide value(int i, std::int64_t f) const {
    return f < matrix_.columns() ? matrix_.at(i, int(f)) : bias_;
  }
  Wide score(int i, int m) const {
    Wide sum = 0;
    for (std::int64_t f = 0; f < v_.features(); ++f) sum += value(i, f) * v_.of_feature(f)[m];
    return sum;
  }
  static constexpr Wide kTolerance = 100 * kRounding<Real>;

  Source source_;
  Matrix<Real> matrix_;
  const Real bias_;
  std::shared_ptr<const Rows<Real>> rows_;
  ClassLayout layout_;
  Weights<Real> v_;
  std::vector<Real> d_;
};

// No rows, one, a few, and more than a chunk, which are summed in several parts.
template <class Real>
void check_all() {
  unsigned seed = 0;
  for (int size : {0, 1, 20, 700})
    for (int classes : {1, 3, 20, 150})
      for (Storage storage : kStorages)
        for (Real bias : {Real(0), Real(1.5)})
          if (size < 700 || classes < 150)
            ProductsTest<Real>(++seed, size, classes, storage, bias).run();
}

// Sums are split where rows are many, and not where the result is as large as the rows.
void check_parts() {
  Source source(1);
  const Matrix<double> tall(source, 700, 9, 0.5), wide(source, 5, 300, 0.5);
  CHECK_EQUAL(parts_of(*tall.view(Storage::dense_c, 0.0)), 16);
  CHECK_EQUAL(parts_of(*wide.view(Storage::csr32, 0.0)), 1);
  CHECK_EQUAL(parts_of(*wide.view(Storage::dense_c, 0.0)), 1);
}

void run_tests() {
  check_parts();
  check_all<float>();
  check_all<double>();
}

}  // namespace polymargin::test::test_products
