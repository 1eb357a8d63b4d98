// What tests of tables share.
#pragma once

#include <cstring>
#include <string_view>

#include "polymargin/reading/table.hpp"

namespace polymargin::test {

inline Table<double> parse(std::string_view text, const TableOptions& options, int threads = 1,
                           std::int64_t chunk_size = TextChunks::kSize) {
  return parse_table<double>(text, options, threads, never, chunk_size);
}

inline bool same(const Table<double>& a, const Table<double>& b, const TableOptions& options) {
  const TableFailure &first = a.failure, &second = b.failure;
  if (first.fault != TableFault::none || second.fault != TableFault::none)
    return first.fault == second.fault && first.offset == second.offset &&
           first.column == second.column;
  const auto equal = [](const auto& x, const auto& y, std::int64_t size) {
    return !x == !y && (!x || std::memcmp(x.get(), y.get(), std::size_t(size) * 8) == 0);
  };
  return a.rows == b.rows && a.codes == b.codes && a.labels_are_numbers == b.labels_are_numbers &&
         equal(a.values, b.values, a.rows * options.features()) &&
         (!a.labels_are_numbers || equal(a.labels, b.labels, a.rows)) &&
         equal(a.label_offsets, b.label_offsets, a.rows);
}

}  // namespace polymargin::test
