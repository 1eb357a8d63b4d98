// What has to be known of the columns of a CSR matrix before the engine trusts them: plain loops
// over all of them at once, which compilers turn into vectors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace polymargin {

// Whether 0 <= index < limit for all.
template <class Index>
bool all_below(std::span<const Index> indices, std::int64_t limit) {
  using Unsigned = std::make_unsigned_t<Index>;  // in which what is negative is too large
  Unsigned largest = 0;
  for (Index index : indices) largest = std::max(largest, Unsigned(index));
  return indices.empty() || std::uint64_t(largest) < std::uint64_t(limit);
}

// Whether the indices of every row [starts[i], starts[i + 1]) ascend, none of them twice: then they
// fail to ascend nowhere but where a row begins.
template <class Index>
bool ascends_within(std::span<const Index> indices, std::span<const Index> starts) {
  const auto falls = [&](std::size_t p) { return std::int64_t(indices[p] <= indices[p - 1]); };
  std::int64_t everywhere = 0, between_rows = 0;
  for (std::size_t p = 1; p < indices.size(); ++p) everywhere += falls(p);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    if (starts[i] > 0 && starts[i] < starts[i + 1]) between_rows += falls(std::size_t(starts[i]));
  return everywhere == between_rows;
}

// What is wrong with rows [starts[i], starts[i + 1]) of `indices` below `columns`, in words; null
// if nothing is. A wrong index would read or write outside of arrays: whatever enters the core from
// elsewhere is looked at here first.
template <class Start, class Index>
const char* csr_fault(std::span<const Start> starts, std::span<const Index> indices,
                      std::size_t values, std::int64_t columns) {
  if (starts.empty() || starts.front() != 0) return "indptr must start with 0";
  for (std::size_t i = 0; i + 1 < starts.size(); ++i)
    if (starts[i + 1] < starts[i]) return "indptr must not decrease";
  if (std::size_t(starts.back()) > indices.size() || indices.size() != values)
    return "indptr, indices and data must agree in length";
  if (!all_below(indices.first(std::size_t(starts.back())), columns))
    return "a column index is out of range";
  return nullptr;
}

}  // namespace polymargin
