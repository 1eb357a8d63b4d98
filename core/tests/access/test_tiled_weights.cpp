#include <algorithm>

#include "polymargin/access/rows.hpp"
#include "polymargin/access/subset.hpp"
#include "problems.hpp"

namespace polymargin::test::test_tiled_weights {

// Random rows, each with tiles of its own, and the same weights as a plain array.
template <class Real>
class TiledTest {
 public:
  TiledTest(unsigned seed, int columns, int classes, int tiles_a_row, Storage storage, Real bias)
      : source_(seed),
        matrix_(source_, 7, columns, 0.4),
        classes_(classes),
        bias_(bias),
        rows_(matrix_.view(storage, bias)),
        features_(int(rows_->features())),
        layout_(ClassLayout::of<Real>(std::min(classes, tiles_a_row * kTileClasses))),
        tiles_(some_tiles(tiles_a_row)),
        order_(some_order()),
        tiled_(features_, layout_, order_, tiles_),
        weights_(std::size_t(features_) * classes) {}

  void run() {
    CHECK(tiled_.find(0, 0) == nullptr);
    CHECK_EQUAL(tiled_.squared_norm(), 0);
    for (int round = 0; round < 3; ++round)
      for (int i = 0; i < matrix_.rows(); ++i) {
        check_scores(i, *rows_, i);
        add_to_all(i);
        add_to_some(i);
        check_scores(i, *rows_, i);
      }
    // Rows of a subset have the tiles that they have in the whole.
    const RowsSubset<Real> subset(rows_, {4, 1});
    check_scores(4, subset, 0);
    check_scores(1, subset, 1);
    check_pairs();
    tiled_.clear();
    std::fill(weights_.begin(), weights_.end(), Wide(0));
    check_scores(2, *rows_, 2);
    check_pairs();
  }

 private:
  std::vector<std::int32_t> some_tiles(int tiles_a_row) {
    const int all = (classes_ + kTileClasses - 1) / kTileClasses;
    std::vector<std::int32_t> tiles, every(all);
    for (int t = 0; t < all; ++t) every[t] = t;
    for (int i = 0; i < matrix_.rows(); ++i) {
      for (int t = 0; t < tiles_a_row; ++t) std::swap(every[t], every[source_.integer(t, all - 1)]);
      tiles.insert(tiles.end(), every.begin(), every.begin() + tiles_a_row);
      std::sort(tiles.end() - tiles_a_row, tiles.end());
    }
    return tiles;
  }

  std::vector<std::int32_t> some_order() {
    std::vector<std::int32_t> order(classes_);
    for (int m = 0; m < classes_; ++m) order[m] = m;
    for (int m = 0; m < classes_; ++m) std::swap(order[m], order[source_.integer(m, classes_ - 1)]);
    return order;
  }

  // The class that row i knows by the number m, or -1 if that is no class.
  int class_of(int i, int m) const {
    const int tile = tiled_.tiles_of(i)[m / kTileClasses];
    const int place = tile * kTileClasses + m % kTileClasses;
    return place < classes_ ? order_[place] : -1;
  }
  Wide value(int i, int f) const { return f < matrix_.columns() ? matrix_.at(i, f) : bias_; }
  Wide score(int i, int m) const {
    Wide sum = 0;
    for (int f = 0; f < features_; ++f)
      sum += value(i, f) * weights_[f * classes_ + class_of(i, m)];
    return sum;
  }
  Wide tolerance() const { return 100 * (features_ + 20) * kRounding<Real>; }

  // Of row i, which is number `at` of the rows given.
  void check_scores(int i, const Rows<Real>& rows, int at) {
    AlignedArray<Real> scores(layout_.stride);
    rows.scores(at, tiled_, scores.data(), 0, layout_.packs);
    std::vector<std::int32_t> some;
    for (int m = 0; m < layout_.classes; ++m) {
      if (class_of(i, m) < 0) {
        CHECK(scores[m] < -1e20);  // no margin is violated there
        continue;
      }
      CHECK_NEAR(scores[m], score(i, m), tolerance());
      if (source_.chance(0.3)) some.push_back(m);
    }
    std::vector<Real> listed(some.size());
    rows.scores_of(at, tiled_, some.data(), int(some.size()), listed.data());
    for (std::size_t c = 0; c < some.size(); ++c)
      CHECK_NEAR(listed[c], score(i, some[c]), tolerance());
  }

  void note(int i, int m, Real coefficient) {
    for (int f = 0; f < features_; ++f)
      weights_[f * classes_ + class_of(i, m)] += value(i, f) * coefficient;
  }

  void add_to_all(int i) {
    AlignedArray<Real> coefficients(layout_.stride);
    for (int m = 0; m < layout_.classes; ++m) {
      if (class_of(i, m) < 0 || source_.chance(0.5)) continue;
      coefficients[m] = Real(source_.bell());
      note(i, m, coefficients[m]);
    }
    rows_->add(i, tiled_, coefficients.data(), 0, layout_.packs);
  }

  void add_to_some(int i) {
    std::vector<std::int32_t> some;
    std::vector<Real> coefficients;
    for (int m = 0; m < layout_.classes; ++m) {
      if (class_of(i, m) < 0 || source_.chance(0.8)) continue;
      some.push_back(m);
      coefficients.push_back(Real(source_.bell()));
      note(i, m, coefficients.back());
    }
    rows_->add_to(i, tiled_, some.data(), int(some.size()), coefficients.data());
  }

  void check_pairs() const {
    std::vector<Wide> left = weights_;
    Wide norm = 0;
    tiled_.for_each_pair([&](std::int64_t f, std::int32_t m, Real weight) {
      CHECK(m < classes_);
      CHECK_NEAR(weight, left[f * classes_ + m], tolerance());
      norm += Wide(weight) * weight;
      left[f * classes_ + m] = 0;
    });
    for (Wide weight : left) CHECK_NEAR(weight, 0, tolerance());
    CHECK_NEAR(tiled_.squared_norm(), norm, tolerance() * (1 + norm));
  }

  Source source_;
  Matrix<Real> matrix_;
  int classes_;
  Real bias_;
  std::shared_ptr<const Rows<Real>> rows_;
  int features_;
  ClassLayout layout_;
  std::vector<std::int32_t> tiles_, order_;
  TiledWeights<Real> tiled_;
  std::vector<Wide> weights_;
};

template <class Real>
void test_products() {
  unsigned seed = 0;
  for (Storage storage : kStorages)
    for (const auto& [classes, tiles] :
         {std::pair(5, 1), {16, 1}, {40, 2}, {100, 3}, {300, 11}, {333, 21}})
      for (Real bias : {Real(0), Real(2)})
        TiledTest<Real>(++seed, 9, classes, tiles, storage, bias).run();
}

void run_tests() {
  test_products<float>();
  test_products<double>();
}

}  // namespace polymargin::test::test_tiled_weights
