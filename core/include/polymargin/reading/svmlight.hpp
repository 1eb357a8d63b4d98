// svmlight text into the arrays of a CSR matrix and labels, by threads that each parse chunks of
// the text into their places. The places come from the numbers of colons and lines, which are
// bounds; what is less (comments, blank lines) is closed up at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "polymargin/reading/chunk_parsing.hpp"
#include "polymargin/reading/svmlight_lines.hpp"

namespace polymargin {

enum class FirstIndex { unknown, zero, one };

template <class Real, class Index>
struct Svmlight {
  std::unique_ptr<Index[]> indices, row_starts;
  std::unique_ptr<Real[]> values;
  std::unique_ptr<double[]> labels;  // nullptr if the text has none
  std::unique_ptr<std::int64_t[]> label_offsets;
  std::int64_t rows = 0, entries = 0;
  std::int64_t features = 0;  // the largest index, stored from 0, and one
  int first_index = 1;        // what is stored as 0
  bool labels_are_numbers = true;
  bool stopped = false;
  Failure failure;
};

// Whether the first row begins with a label, not with a pair.
inline bool begins_with_label(std::string_view text) {
  for (;;) {
    text.remove_prefix(
        std::size_t(std::find_if_not(text.begin(), text.end(), is_blank) - text.begin()));
    const std::string_view word = token_of(text);
    if (!word.empty()) return word.find(':') == word.npos;
    const auto line_end = text.find('\n');
    if (line_end == text.npos) return true;
    text.remove_prefix(line_end + 1);
  }
}

template <class Real, class Index>
class SvmlightParser {
 public:
  using Result = Svmlight<Real, Index>;
  static constexpr std::int64_t kMostEntries = std::numeric_limits<Index>::max();

  SvmlightParser(std::string_view text, FirstIndex first_index, int threads,
                 const std::function<bool()>& poll, std::int64_t chunk_size = TextChunks::kSize,
                 bool several_labels = false)
      : parsing_(text, ':', threads, poll, chunk_size), chunks_(parsing_.chunks()) {
    options_.labelled = several_labels || begins_with_label(text);
    options_.several = several_labels;
    options_.zero_allowed = first_index != FirstIndex::one;
    options_.first_index = first_index == FirstIndex::zero ? 0 : 1;
    may_be_zero_based_ = first_index == FirstIndex::unknown;
  }

  Result parse() {
    Result result;
    for (const TextChunk& chunk : chunks_) {
      row_places_.push_back(result.rows);
      entry_places_.push_back(result.entries);
      result.rows += chunk.lines;
      result.entries += chunk.marks;
    }
    if (result.entries > kMostEntries) {
      result.failure.fault = Fault::index_width;
      return result;
    }
    allocate(result);
    summaries_ = parsing_.run([&](std::size_t at) {
      return SvmlightLines(chunks_[at], options_, output(result, at)).parse();
    });
    for (const auto& summary : summaries_)
      if (summary.failed()) {
        result.failure = summary.failure;
        return result;
      }
    result.stopped = parsing_.stopped();
    if (!result.stopped) close_up(result);
    return result;
  }

 private:
  void allocate(Result& result) const {
    const auto rows = std::size_t(result.rows), entries = std::size_t(result.entries);
    result.indices = std::make_unique_for_overwrite<Index[]>(entries);
    result.values = std::make_unique_for_overwrite<Real[]>(entries);
    result.row_starts = std::make_unique_for_overwrite<Index[]>(rows + 1);
    if (!options_.labelled) return;
    result.labels = std::make_unique_for_overwrite<double[]>(rows);
    result.label_offsets = std::make_unique_for_overwrite<std::int64_t[]>(rows);
  }

  SvmlightOutput<Real, Index> output(const Result& result, std::size_t chunk) const {
    const std::int64_t row = row_places_[chunk], entry = entry_places_[chunk];
    SvmlightOutput<Real, Index> output{result.indices.get() + entry, result.values.get() + entry,
                                       result.row_starts.get() + 1 + row, nullptr, nullptr};
    if (options_.labelled) {
      output.labels = result.labels.get() + row;
      output.label_offsets = result.label_offsets.get() + row;
    }
    return output;
  }

  // Moves what each chunk gave to the end of what the chunks before gave, and turns the ends of
  // rows within chunks into those within all.
  void close_up(Result& result) const {
    result.rows = result.entries = 0;
    result.row_starts[0] = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), largest = -1;
    for (std::size_t c = 0; c < summaries_.size(); ++c) {
      const SvmlightSummary& chunk = summaries_[c];
      move_up(result.indices.get(), entry_places_[c], result.entries, chunk.entries);
      move_up(result.values.get(), entry_places_[c], result.entries, chunk.entries);
      move_up(result.labels.get(), row_places_[c], result.rows, chunk.rows);
      move_up(result.label_offsets.get(), row_places_[c], result.rows, chunk.rows);
      const Index* const ends = result.row_starts.get() + 1 + row_places_[c];
      Index* const starts = result.row_starts.get() + 1 + result.rows;
      for (std::int64_t i = 0; i < chunk.rows; ++i) starts[i] = Index(ends[i] + result.entries);
      result.rows += chunk.rows;
      result.entries += chunk.entries;
      least = std::min(least, chunk.least_index);
      largest = std::max(largest, chunk.largest_index);
      result.labels_are_numbers &= chunk.labels_are_numbers;
    }
    result.first_index = options_.first_index;
    if (may_be_zero_based_ && least == 0) {
      result.first_index = 0;
      for (std::int64_t e = 0; e < result.entries; ++e) ++result.indices[e];
    }
    result.features = largest < 0 ? 0 : largest - result.first_index + 1;
  }

  ChunkParsing parsing_;
  const std::vector<TextChunk>& chunks_;
  SvmlightOptions options_;
  bool may_be_zero_based_;
  std::vector<std::int64_t> row_places_, entry_places_;
  std::vector<SvmlightSummary> summaries_;
};

}  // namespace polymargin
