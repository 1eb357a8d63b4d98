#include <limits>
#include <vector>

#include "blocks.hpp"
#include "check.hpp"
#include "polymargin/access/csr_checks.hpp"

namespace polymargin::test::test_csr_checks {

template <class Index>
bool below(std::vector<Index> indices, std::int64_t limit) {
  return all_below<Index>(indices, limit);
}

template <class Index>
void check_below() {
  CHECK(below<Index>({}, 0));
  CHECK(below<Index>({0, 6, 3}, 7));
  CHECK(!below<Index>({0, 6, 3}, 6));
  CHECK(!below<Index>({0, -1, 3}, 7));
  CHECK(!below<Index>({std::numeric_limits<Index>::min()}, 7));
  const Index most = std::numeric_limits<Index>::max();
  CHECK(!below<Index>({most}, most));
  CHECK(below<Index>({Index(most - 1)}, most));
}

// What the word says, row by row.
template <class Index>
bool ascends_by_row(const std::vector<Index>& indices, const std::vector<Index>& starts) {
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    for (Index p = starts[i] + 1; p < starts[i + 1]; ++p)
      if (indices[p] <= indices[p - 1]) return false;
  return true;
}

template <class Index>
void check_ascent() {
  Source source(1);
  int ascending = 0;
  constexpr int kTries = 4000;
  for (int t = 0; t < kTries; ++t) {
    std::vector<Index> starts{0}, indices;
    for (int rows = source.integer(0, 4); rows > 0; --rows) {
      int column = 0;
      for (int length = source.integer(0, 3); length > 0; --length) {
        column += 1 + source.integer(0, 2);
        indices.push_back(Index(column));
      }
      starts.push_back(Index(indices.size()));
    }
    // Some are spoilt, perhaps.
    if (!indices.empty() && t % 2)
      indices[source.integer(0, int(indices.size()) - 1)] = source.integer(0, 8);
    const bool expected = ascends_by_row(indices, starts);
    CHECK_EQUAL(ascends_within<Index>(indices, starts), expected);
    ascending += expected;
  }
  CHECK(ascending > kTries / 2 && ascending < kTries);
}

void run_tests() {
  check_below<std::int32_t>();
  check_below<std::int64_t>();
  check_ascent<std::int32_t>();
  check_ascent<std::int64_t>();
}

}  // namespace polymargin::test::test_csr_checks
