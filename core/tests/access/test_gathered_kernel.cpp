// The kernel of a working set that changes from call to call, against the matrix itself.
#include <numeric>

#include "blocks.hpp"
#include "check.hpp"
#include "polymargin/access/gathered_kernel.hpp"

namespace polymargin::test::test_gathered_kernel {

template <class Real>
struct Matrix {
  Matrix(Source& source, int size) : size(size), values(size * size) {
    for (int i = 0; i < size; ++i)
      for (int j = 0; j <= i; ++j)
        values[i * size + j] = values[j * size + i] =
            Real(i == j ? source.power_of_ten(-1, 1) : source.bell());
  }
  Real at(int i, int j) const { return values[i * size + j]; }
  Real closeness(int i, int j) const { return std::fabs(at(i, j)) / std::sqrt(at(j, j)); }

  int size;
  std::vector<Real> values;
};

template <class Real>
void check_rows(const GatheredKernel<Real>& gathered, const Matrix<Real>& matrix,
                std::vector<std::int32_t> wanted) {
  std::vector<std::int32_t> examples = gathered.examples();
  const int size = int(wanted.size());
  for (int p = 0; p < size; ++p)
    for (int q = 0; q < size; ++q)
      CHECK_EQUAL(gathered.row(p)[q], matrix.at(examples[p], examples[q]));
  std::sort(examples.begin(), examples.end());
  CHECK(examples == wanted);
}

// Known neighbours are true ones, the nearest first; if all are new, they are the nearest of all.
template <class Real>
void check_neighbours(GatheredKernel<Real>& gathered, const Matrix<Real>& matrix, bool all) {
  const std::vector<std::int32_t>& examples = gathered.examples();
  const int size = int(examples.size());
  for (int p = 0; p < size; ++p) {
    const auto known = gathered.neighbours(p);
    CHECK(int(known.size()) >= std::min(4, size - 1) && known.size() <= 8);
    std::vector<Real> closeness;
    for (int q = 0; q < size; ++q)
      if (q != p) closeness.push_back(matrix.closeness(examples[p], examples[q]));
    std::sort(closeness.rbegin(), closeness.rend());
    for (std::size_t c = 0; c < known.size(); ++c) {
      CHECK(known[c].position != p && known[c].position < size);
      const Real expected = matrix.closeness(examples[p], examples[known[c].position]);
      CHECK_NEAR(known[c].closeness, expected, 8 * kRounding<Real> * expected);
      if (c > 0) CHECK(known[c].closeness <= known[c - 1].closeness);
      if (all) CHECK_NEAR(known[c].closeness, closeness[c], 8 * kRounding<Real> * closeness[c]);
    }
  }
}

template <class Real>
void check_calls(Source& source, int size) {
  const Matrix<Real> matrix(source, size);
  GatheredKernel<Real> gathered(size);
  std::vector<std::int32_t> columns(size);  // of the rows that are handed in
  std::iota(columns.begin(), columns.end(), 0);
  std::reverse(columns.begin(), columns.end());
  std::vector<Real> row(size);
  for (int call = 0; call < 12; ++call) {
    std::vector<std::int32_t> wanted;
    const double share = source.uniform(0, 1);
    for (int i = 0; i < size; ++i)
      if (source.chance(share)) wanted.push_back(i);
    gathered.gather(
        wanted,
        [&](std::int32_t i) {
          for (int j = 0; j < size; ++j) row[columns[j]] = matrix.at(i, j);
          return row.data();
        },
        [&](std::int32_t j) { return columns[j]; });
    check_rows(gathered, matrix, wanted);
    if (call % 3 != 1) check_neighbours(gathered, matrix, call == 0);
  }
}

void run_tests() {
  Source source(1);
  for (int size : {1, 2, 5, 17, 60, 150}) {
    check_calls<float>(source, size);
    check_calls<double>(source, size);
  }
}

}  // namespace polymargin::test::test_gathered_kernel
