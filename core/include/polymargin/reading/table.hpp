// Text of a table (CSV, TSV) into a dense matrix and labels, by threads that each parse chunks of
// the text into their places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "polymargin/reading/chunk_parsing.hpp"
#include "polymargin/reading/table_rows.hpp"
#include "polymargin/reading/text_position.hpp"

namespace polymargin {

template <class Real>
struct Table {
  std::unique_ptr<Real[]> values;    // row by row
  std::unique_ptr<double[]> labels;  // nullptr if there is no column of labels
  std::unique_ptr<std::int64_t[]> label_offsets;
  std::int64_t rows = 0;
  bool labels_are_numbers = true;
  bool codes = false;  // as in TableSummary
  bool stopped = false;
  TableFailure failure;
};

template <class Real>
Table<Real> parse_table(std::string_view text, const TableOptions& options, int threads,
                        const std::function<bool()>& poll,
                        std::int64_t chunk_size = TextChunks::kSize) {
  ChunkParsing parsing(text, options.delimiter, threads, poll, chunk_size);
  const auto& chunks = parsing.chunks();
  Table<Real> table;
  std::vector<std::int64_t> places, sizes;
  for (const TextChunk& chunk : chunks) {
    places.push_back(table.rows);
    // A row has one delimiter less than columns.
    const std::int64_t bound =
        options.columns > 1 ? chunk.marks / (options.columns - 1) : chunk.lines;
    sizes.push_back(std::min(chunk.lines, bound));
    table.rows += sizes.back();
  }
  const std::int64_t features = options.features();
  table.values = std::make_unique_for_overwrite<Real[]>(std::size_t(table.rows * features));
  if (options.label >= 0) {
    table.labels = std::make_unique_for_overwrite<double[]>(std::size_t(table.rows));
    table.label_offsets = std::make_unique_for_overwrite<std::int64_t[]>(std::size_t(table.rows));
  }
  const auto summaries = parsing.run([&](std::size_t at) {
    TableOutput<Real> output{table.values.get() + places[at] * features, nullptr, nullptr,
                             sizes[at]};
    if (table.labels) {
      output.labels = table.labels.get() + places[at];
      output.label_offsets = table.label_offsets.get() + places[at];
    }
    return TableRows<Real>(chunks[at], options, output).parse();
  });
  table.stopped = parsing.stopped();
  table.rows = 0;
  for (std::size_t c = 0; c < summaries.size() && !table.stopped; ++c) {
    const TableSummary& chunk = summaries[c];
    if (chunk.failed()) {
      table.failure = chunk.failure;
      break;
    }
    move_up(table.values.get(), places[c] * features, table.rows * features, chunk.rows * features);
    move_up(table.labels.get(), places[c], table.rows, chunk.rows);
    move_up(table.label_offsets.get(), places[c], table.rows, chunk.rows);
    table.rows += chunk.rows;
    table.labels_are_numbers &= chunk.labels_are_numbers;
    table.codes |= chunk.codes;
  }
  return table;
}

struct TableDescription {
  TextPosition position;
  std::string expected;  // "a number", to be followed by the name of the column
  std::string found;     // empty: nothing
};

inline TableDescription describe(std::string_view text, char delimiter, std::int64_t columns,
                                 const TableFailure& failure) {
  const auto rest = text.substr(std::size_t(failure.offset));
  const auto ends = [&](char c) { return c == delimiter || c == '\n' || c == '\r'; };
  const std::string found(rest.begin(), std::find_if(rest.begin(), rest.end(), ends));
  const TextPosition position = position_of(text, failure.offset);
  const std::string all = std::to_string(columns) + " columns";
  switch (failure.fault) {
    case TableFault::none: break;
    case TableFault::few_columns: return {position, all, "only " + std::to_string(failure.column)};
    case TableFault::many_columns: return {position, all, "more"};
    case TableFault::number:
      return {position, is_infinite(found) ? "a finite number" : "a number", found};
    case TableFault::number_size: return {position, "a number that is finite in this dtype", found};
    case TableFault::label: return {position, "a label", found};
    case TableFault::long_label:
      return {position, "a label of at most " + std::to_string(kLongestLabel) + " bytes", found};
    case TableFault::label_encoding: return {position, "a label in UTF-8", found};
    case TableFault::quote:
      return {position, "a label with its closing quote in the same line", found};
  }
  return {position, "", found};
}

}  // namespace polymargin
