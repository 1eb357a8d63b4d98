#include <vector>

#include "blocks.hpp"
#include "polymargin/access/kernel_transforms.hpp"

namespace polymargin::test::test_kernel_transforms {

template <class Real>
class TransformTest {
 public:
  TransformTest(unsigned seed, int rows, int columns, int features, double scale)
      : source_(seed),
        rows_(rows),
        columns_(columns),
        features_(features),
        x_(draw(rows * features, scale)),
        y_(draw(columns * features, scale)) {
    // The first point is on both sides.
    for (int f = 0; f < features; ++f) y_[f * columns] = x_[f];
  }

  void products() const {
    // A third of the values of x is left out.
    std::vector<Real> x_values, y_values(y_), tile(padded());
    std::vector<int> x_indices, x_starts{0}, y_indices, y_starts{0};
    for (int i = 0; i < rows_; ++i) {
      for (int f = 0; f < features_; ++f)
        if ((i + f) % 3 != 2) {
          x_values.push_back(x_[i * features_ + f]);
          x_indices.push_back(f);
        }
      x_starts.push_back(int(x_indices.size()));
    }
    for (int f = 0; f < features_; ++f) {
      for (int j = 0; j < columns_; ++j) y_indices.push_back(j);
      y_starts.push_back(int(y_indices.size()));
    }
    mark_end(tile);
    sparse_products<Real, int>(tile.data(), rows_, columns_,
                               {x_values.data(), x_indices.data(), x_starts.data()},
                               {y_values.data(), y_indices.data(), y_starts.data()});
    check_end(tile);
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) {
        Wide expected = 0, size = 0;
        for (int p = x_starts[i]; p < x_starts[i + 1]; ++p) {
          const Wide term = Wide(x_values[p]) * y_[x_indices[p] * columns_ + j];
          expected += term;
          size += std::fabs(term);
        }
        CHECK_NEAR(tile[i * columns_ + j], expected, features_ * kRounding<Real> * size);
      }
  }

  void gaussian(Real gamma) const {
    std::vector<Real> tile(padded()), left(rows_), right(columns_);
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j < columns_; ++j) tile[i * columns_ + j] = sum(i, j, product);
      left[i] = Real(gamma * sum(i, i, square_of_x));
    }
    for (int j = 0; j < columns_; ++j) right[j] = Real(gamma * sum(0, j, square_of_y));
    mark_end(tile);
    gaussian_of_products(tile.data(), rows_, columns_, left.data(), right.data(), gamma,
                         4 * std::numeric_limits<Real>::epsilon());
    check_end(tile);
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) {
        const Wide expected = std::exp(-gamma * sum(i, j, squared_difference));
        const Wide lost = 8 * kRounding<Real> * (1 + left[i] + right[j]);
        CHECK_NEAR(tile[i * columns_ + j], expected, lost);
      }
    CHECK_EQUAL(tile[0], 1);
  }

  void laplacian(Real gamma) const {
    std::vector<Real> tile(padded());
    mark_end(tile);
    laplacian_kernel(tile.data(), rows_, columns_, features_, x_.data(), y_.data(), gamma);
    check_end(tile);
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < columns_; ++j) {
        const Wide exponent = gamma * sum(i, j, difference);
        const Wide lost = (2 + (2 + features_) * exponent) * kRounding<Real>;
        CHECK_NEAR(tile[i * columns_ + j], std::exp(-exponent),
                   lost * std::exp(-exponent) + kLeast);
      }
    CHECK_EQUAL(tile[0], 1);
  }

 private:
  // exp of less is zero
  static inline const Wide kLeast = std::exp(Wide(FloatFormat<Real>::kLeastExponent));
  static constexpr Real kMark = 77;

  static Wide product(Wide x, Wide y) { return x * y; }
  static Wide square_of_x(Wide x, Wide) { return x * x; }
  static Wide square_of_y(Wide, Wide y) { return y * y; }
  static Wide squared_difference(Wide x, Wide y) { return (x - y) * (x - y); }
  static Wide difference(Wide x, Wide y) { return std::fabs(x - y); }

  std::vector<Real> draw(int size, double scale) {
    std::vector<Real> values(size);
    for (Real& value : values) value = Real(scale * source_.bell());
    return values;
  }
  // Features are the rows of y.
  Wide sum(int i, int j, Wide (*term)(Wide, Wide)) const {
    Wide total = 0;
    for (int f = 0; f < features_; ++f)
      total += term(x_[i * features_ + f], y_[f * columns_ + std::min(j, columns_ - 1)]);
    return total;
  }

  std::size_t padded() const { return std::size_t(rows_) * columns_ + 1; }
  void mark_end(std::vector<Real>& tile) const { tile.back() = kMark; }
  void check_end(const std::vector<Real>& tile) const { CHECK_EQUAL(tile.back(), kMark); }

  Source source_;
  int rows_, columns_, features_;
  std::vector<Real> x_, y_;
};

template <class Real>
void check_transforms() {
  for (int rows : {1, 3, 8, 13})
    for (int columns : {1, 4, 15, 16, 17, 35})
      for (int features : {1, 2, 11})
        for (double scale : {1e-3, 1.0, 30.0}) {
          TransformTest<Real> test(unsigned(rows + columns), rows, columns, features, scale);
          test.products();
          for (Real gamma : {Real(1e-6), Real(0.5), Real(1e4)}) {
            test.gaussian(gamma);
            test.laplacian(gamma);
          }
        }
}

void run_tests() {
  check_transforms<float>();
  check_transforms<double>();
}

}  // namespace polymargin::test::test_kernel_transforms
