// Rows of a kernel matrix with some of its columns, in any room.
#include <numeric>

#include "blocks.hpp"
#include "check.hpp"
#include "polymargin/access/gram_rows.hpp"

namespace polymargin::test::test_gram_rows {

template <class Real>
void check_rows(Source& source, int size, double room) {
  const std::int64_t stride = GramRows<Real>::padded(size);
  std::vector<Real> values(size * stride);
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) values[i * stride + j] = Real(source.bell());
  GramRows<Real> rows({values.data(), size, stride}, room);
  for (double share : {1.0, 0.6, 0.1}) {
    std::vector<std::int32_t> columns;
    for (int i = 0; i < size; ++i)
      if (share == 1 || source.chance(share)) columns.push_back(i);
    if (columns.empty()) columns.push_back(size / 2);
    rows.choose(columns);
    const auto check = [&](const Real* row, int c) {
      for (std::size_t j = 0; j < columns.size(); ++j)
        CHECK_EQUAL(row[j], values[columns[c] * stride + columns[j]]);
    };
    const int last = int(columns.size()) - 1;
    for (int step = 0; step < 100; ++step) {
      const int a = source.integer(0, last), b = source.integer(0, last);
      check(rows.row(a), a);
      const auto both = rows.pair(a, b);
      check(both[0], a);
      check(both[1], b);
    }
  }
}

void run_tests() {
  Source source(1);
  for (int size : {1, 2, 17, 60, 150})
    for (double room : {0.0, 1000.0, 1e9}) {
      check_rows<float>(source, size, room);
      check_rows<double>(source, size, room);
    }
}

}  // namespace polymargin::test::test_gram_rows
