// Scores of many examples, class after class and example after example, against sums in long
// double.
#include "blocks.hpp"
#include "polymargin/access/scores_by_class.hpp"
#include "polymargin/access/scores_by_example.hpp"

namespace polymargin::test::test_scores_by_class {

template <class Real>
inline constexpr int kLanes = kNativeBytes / int(sizeof(Real));

// Around one and more packs, tiles and chunks of both storages.
template <class Real>
std::vector<int> sizes_around_boundaries() {
  std::vector<int> sizes{1, 2, 3};
  for (int boundary : {kLanes<Real>, 2 * kLanes<Real>, 512, 1024, 2048, 4096})
    for (int difference : {-1, 0, 1}) sizes.push_back(boundary + difference);
  return sizes;
}

// Kernel rows and their coefficients, many of which are zero. Rows end with their last pack, and
// what they hold behind the last example must not matter.
template <class Real>
struct Changes {
  Changes(Source& source, const ClassLayout& layout, int examples, int count)
      : layout(layout), coefficients(std::size_t(count) * layout.stride) {
    const int padded = (examples + kLanes<Real> - 1) / kLanes<Real> * kLanes<Real>;
    for (int p = 0; p < count; ++p) {
      rows.emplace_back(padded, std::numeric_limits<Real>::quiet_NaN());
      for (int j = 0; j < examples; ++j) rows[p][j] = Real(source.bell());
      const double density = source.integer(0, 2) / 2.0;
      for (int m = 0; m < layout.classes; ++m)
        if (source.chance(density)) of_row(p)[m] = Real(source.bell());
    }
    for (const auto& row : rows) pointers.push_back(row.data());
  }

  Real* of_row(int p) { return coefficients.data() + std::int64_t(p) * layout.stride; }

  ClassLayout layout;
  std::vector<std::vector<Real>> rows;
  std::vector<const Real*> pointers;
  AlignedArray<Real> coefficients;
};

// What the scores should be, and the size of the terms that they are sums of.
struct Expected {
  Expected(int classes, int examples)
      : classes(classes), sums(classes * examples), sizes(classes * examples) {}

  template <class Real>
  void set(int j, const Real* scores) {
    for (int m = 0; m < classes; ++m) {
      sums[j * classes + m] = scores[m];
      sizes[j * classes + m] = std::fabs(scores[m]);
    }
  }
  template <class Real>
  void add(Changes<Real>& changes, int examples) {
    for (int p = 0; p < int(changes.rows.size()); ++p)
      for (int j = 0; j < examples; ++j)
        for (int m = 0; m < classes; ++m) {
          const Wide term = Wide(changes.rows[p][j]) * changes.of_row(p)[m];
          sums[j * classes + m] += term;
          sizes[j * classes + m] += std::fabs(term);
        }
    terms += int(changes.rows.size());
  }
  template <class Real, class Scores>
  void check(const Scores& scores, const ClassLayout& layout) const {
    AlignedArray<Real> room(layout.stride);
    for (std::size_t j = 0; j < sums.size() / classes; ++j) {
      const Real* read = scores.read(j, room.data());
      for (int m = 0; m < classes; ++m)
        CHECK_NEAR(read[m], sums[j * classes + m],
                   terms * kRounding<Real> * sizes[j * classes + m]);
      for (int m = classes; m < layout.stride; ++m) CHECK_EQUAL(read[m], 0);
    }
  }

  int classes;
  std::vector<Wide> sums, sizes;
  int terms = 0;
};

// Puts random scores into both, and reads them back.
template <class Real, class Scores>
void write_random(Source& source, const ClassLayout& layout, int examples, Scores& scores,
                  Expected& expected) {
  AlignedArray<Real> values(layout.stride);
  for (int j = examples - 1; j >= 0; --j) {
    for (int m = 0; m < layout.classes; ++m) values[m] = Real(source.bell());
    scores.write(j, values.data());
    expected.set(j, values.data());
  }
  expected.check<Real>(scores, layout);  // to the last bit: there are no terms yet
}

template <class Real, class Scores>
std::vector<Real> all_scores(const Scores& scores, const ClassLayout& layout, int examples) {
  std::vector<Real> result;
  AlignedArray<Real> room(layout.stride);
  for (int j = 0; j < examples; ++j) {
    const Real* read = scores.read(j, room.data());
    result.insert(result.end(), read, read + layout.classes);
  }
  return result;
}

// Many rows, twice, by one thread and by several: the same bits.
template <class Real, class Scores>
void check_many_rows(Source& source, int examples, int classes) {
  const ClassLayout layout = ClassLayout::of<Real>(classes);
  std::vector<Real> first;
  const int counts[] = {source.integer(0, 20), source.chance(0.1) ? 600 : source.integer(1, 9)};
  Changes<Real> changes[] = {{source, layout, examples, counts[0]},
                             {source, layout, examples, counts[1]}};
  const unsigned seed = unsigned(source.integer(0, 1000000));
  for (int threads : {1, 2, 3}) {
    Source same(seed);
    Scores scores(layout, examples);
    Expected expected(classes, examples);
    write_random<Real>(same, layout, examples, scores, expected);
    for (Changes<Real>& some : changes) {
      scores.add(some.pointers, some.coefficients.data(), threads);
      expected.add(some, examples);
    }
    const std::vector<Real> all = all_scores<Real>(scores, layout, examples);
    if (threads == 1) {
      expected.check<Real>(scores, layout);
      first = all;
    }
    CHECK(all == first);
  }
}

// Terms that cancel, in several calls: the sums are as good as the format of the scores allows.
template <class Real, class Scores>
void check_precise(Source& source, int examples, int classes) {
  const ClassLayout layout = ClassLayout::of<Real>(classes);
  std::vector<Real> first;
  const unsigned seed = unsigned(source.integer(0, 1000000));
  for (int threads : {1, 3}) {
    Source same(seed);
    Scores scores(layout, examples);
    Expected expected(classes, examples);
    for (int call = 0; call < 3; ++call) {
      Changes<Real> some(same, layout, examples, 70);
      for (std::size_t a = 0; a < some.coefficients.size(); ++a) some.coefficients[a] *= 1000;
      std::vector<double> coefficients(some.coefficients.data(),
                                       some.coefficients.data() + some.coefficients.size());
      scores.add_precisely(some.pointers, coefficients.data(), layout.stride, threads);
      expected.add(some, examples);
    }
    AlignedArray<Real> room(layout.stride);
    std::vector<double> precise(classes);
    for (int j = 0; j < examples; ++j) {
      const Real* read = scores.read(j, room.data());
      scores.read_precisely(j, precise.data());
      for (int m = 0; m < classes; ++m) {
        const std::size_t at = std::size_t(j) * classes + m;
        CHECK_NEAR(read[m], expected.sums[at],
                   kRounding<Real> * std::fabs(expected.sums[at]) + 1e-13L * expected.sizes[at]);
        CHECK_NEAR(precise[m], expected.sums[at], 1e-13L * expected.sizes[at]);
      }
    }
    const std::vector<Real> all = all_scores<Real>(scores, layout, examples);
    if (threads == 1) first = all;
    CHECK(all == first);
  }
}

template <class Real, class Scores>
void check_clearing(Source& source, int examples, int classes) {
  const ClassLayout layout = ClassLayout::of<Real>(classes);
  Scores scores(layout, examples);
  Expected(classes, examples).check<Real>(scores, layout);
  Expected written(classes, examples);
  write_random<Real>(source, layout, examples, scores, written);
  scores.clear();
  Expected(classes, examples).check<Real>(scores, layout);
  write_random<Real>(source, layout, examples, scores, written);
  for (int other : {examples, examples + 5, (examples + 1) / 2}) {
    scores.resize(other);
    Expected(classes, other).check<Real>(scores, layout);
    Expected again(classes, other);
    write_random<Real>(source, layout, other, scores, again);
  }
}

// A row is not read for a coefficient that is zero.
template <class Real>
void check_zeros(Source& source, int examples, int classes) {
  const ClassLayout layout = ClassLayout::of<Real>(classes);
  ScoresByClass<Real> scores(layout, examples);
  Expected expected(classes, examples);
  write_random<Real>(source, layout, examples, scores, expected);
  const std::vector<Real> before = all_scores<Real>(scores, layout, examples);
  Changes<Real> nothing(source, layout, examples, 1);
  std::fill(nothing.rows[0].begin(), nothing.rows[0].end(), std::numeric_limits<Real>::quiet_NaN());
  nothing.coefficients.clear();
  scores.add(nothing.pointers, nothing.coefficients.data(), 1);
  CHECK(all_scores<Real>(scores, layout, examples) == before);
}

// The arrays that a machine reads by packs of examples.
template <class Real>
void check_layout(Source& source, int examples, int classes) {
  const ClassLayout layout = ClassLayout::of<Real>(classes);
  ScoresByClass<Real> scores(layout, examples);
  CHECK_EQUAL(scores.examples(), examples);
  CHECK(scores.stride() >= examples && scores.stride() < examples + 2 * kLanes<Real>);
  CHECK_EQUAL(scores.stride() / kLanes<Real> % 2, 1);
  CHECK_EQUAL(scores.stride() % kLanes<Real>, 0);
  Expected expected(classes, examples);
  write_random<Real>(source, layout, examples, scores, expected);
  for (int j = 0; j < examples; ++j)
    for (int m = 0; m < classes; ++m)
      CHECK_EQUAL(scores.data()[m * scores.stride() + j], expected.sums[j * classes + m]);
}

// The first examples only, by rows that have no more columns.
template <class Real>
void check_first_examples(Source& source, int examples, int classes) {
  const ClassLayout layout = ClassLayout::of<Real>(classes);
  ScoresByExample<Real> scores(layout, examples);
  Expected expected(classes, examples);
  write_random<Real>(source, layout, examples, scores, expected);
  const int count = source.integer(0, examples);
  Changes<Real> changes(source, layout, count, source.integer(0, 20));
  scores.add(changes.pointers, changes.coefficients.data(), source.integer(1, 3), count);
  expected.add(changes, count);
  expected.check<Real>(scores, layout);
}

template <class Real>
void check_real() {
  Source source(1);
  for (int examples : sizes_around_boundaries<Real>())
    for (int classes : {1, 2, 3, 4, 5, 8, 9, 16, 17, 20, 33}) {
      if (examples > 100 && source.chance(0.8)) continue;
      check_many_rows<Real, ScoresByClass<Real>>(source, examples, classes);
      check_many_rows<Real, ScoresByExample<Real>>(source, examples, classes);
      check_clearing<Real, ScoresByClass<Real>>(source, examples, classes);
      check_clearing<Real, ScoresByExample<Real>>(source, examples, classes);
      check_zeros<Real>(source, examples, classes);
      check_layout<Real>(source, examples, classes);
      check_first_examples<Real>(source, examples, classes);
    }
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_scores_by_class
