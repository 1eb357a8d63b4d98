// Lines of svmlight text, "label qid:3 index:value ... # comment", into arrays.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "polymargin/reading/label_words.hpp"
#include "polymargin/reading/real_number.hpp"
#include "polymargin/reading/svmlight_fault.hpp"
#include "polymargin/reading/text_chunks.hpp"

namespace polymargin {

struct SvmlightOptions {
  bool labelled = true;      // every line begins with a label, or none does
  bool several = false;      // lines begin with any number of labels, between commas
  bool zero_allowed = true;  // as an index
  int first_index = 1;       // what is stored as 0
};

// Where the lines of a chunk go. There is room for as many entries as it has colons, and for as
// many rows as it has lines.
template <class Real, class Index>
struct SvmlightOutput {
  Index* indices;
  Real* values;
  Index* row_ends;  // counted from the beginning of the chunk
  double* labels;
  std::int64_t* label_offsets;
};

struct SvmlightSummary {
  std::int64_t rows = 0, entries = 0;
  std::int64_t least_index = std::numeric_limits<std::int64_t>::max();  // as written
  std::int64_t largest_index = -1;
  bool labels_are_numbers = true;
  Failure failure;
  bool failed() const { return failure.fault != Fault::none; }
};

template <class Real, class Index>
class SvmlightLines {
 public:
  SvmlightLines(const TextChunk& chunk, const SvmlightOptions& options,
                const SvmlightOutput<Real, Index>& output)
      : begin_(chunk.begin),
        end_(chunk.end),
        offset_(chunk.offset),
        options_(options),
        out_(output) {}

  SvmlightSummary parse() {
    const char* p = begin_;
    while (p != end_) {
      p = skip_blanks(p);
      if (*p != '\n' && *p != '#') {
        p = parse_row(p);
        if (!p) break;
      }
      p = *p == '\n' ? p + 1 : after_comment(p);
    }
    return sum_;
  }

 private:
  static const char* skip_blanks(const char* p) {
    while (is_blank(*p)) ++p;
    return p;
  }
  const char* after_comment(const char* p) const {
    return static_cast<const char*>(std::memchr(p, '\n', std::size_t(end_ - p))) + 1;
  }
  const char* fail(Fault fault, const char* at, std::int64_t previous = 0) {
    sum_.failure = {fault, offset_ + (at - begin_), previous};
    return nullptr;
  }

  // Returns the end of the line or the beginning of a comment; nullptr if something is wrong.
  const char* parse_row(const char* p) {
    if (options_.labelled) {
      p = parse_label(p);
      if (!p) return nullptr;
      p = skip_blanks(p);
      if (*p == 'q') p = skip_query(p);
      if (!p) return nullptr;
    }
    p = parse_pairs(p);
    if (p) out_.row_ends[sum_.rows++] = Index(sum_.entries);
    return p;
  }

  const char* parse_label(const char* p) {
    out_.label_offsets[sum_.rows] = offset_ + (p - begin_);
    double& label = out_.labels[sum_.rows];
    const char* stop = read_real(p, end_, label);
    if (stop && ends_token(*stop)) {
      if (stop - p > kLongestLabel) return fail(Fault::long_label, p);
      return std::isfinite(label) ? stop : fail(Fault::infinite_label, p);
    }
    const auto word = token_of({p, std::size_t(end_ - p)});
    const auto has = [&](char c) { return word.find(c) != word.npos; };
    if (has(':') && options_.several) return without_label(p);
    if (has(':')) return fail(Fault::label, p);
    if (has(',') && !options_.several) return fail(Fault::several_labels, p);
    if (std::int64_t(word.size()) > (options_.several ? kLongestLabels : kLongestLabel))
      return fail(Fault::long_label, p);
    if (is_infinite(word)) return fail(Fault::infinite_label, p);
    if (!is_utf8(word)) return fail(Fault::label_encoding, p);
    label = 0;
    sum_.labels_are_numbers = false;
    return p + word.size();
  }

  // Where there are no labels, the offset is that of the first pair.
  const char* without_label(const char* p) {
    out_.labels[sum_.rows] = 0;
    sum_.labels_are_numbers = false;
    return p;
  }

  const char* skip_query(const char* p) {
    constexpr std::string_view kQuery = "qid:";
    const auto word = token_of({p, std::size_t(end_ - p)});
    if (word.substr(0, kQuery.size()) != kQuery) return fail(Fault::pair, p);
    const auto number = word.substr(kQuery.size());
    if (number.empty() || !std::all_of(number.begin(), number.end(), is_digit))
      return fail(Fault::query, p);
    return p + word.size();
  }

  const char* parse_pairs(const char* p) {
    // Stored indices stay below the largest Index, so that their number is one too.
    constexpr auto kLargest = std::uint64_t(std::numeric_limits<Index>::max()) - 1;
    const int first_index = options_.first_index;
    Index* indices = out_.indices + sum_.entries;
    Real* values = out_.values + sum_.entries;
    std::int64_t previous = -1;
    for (p = skip_blanks(p); *p != '\n' && *p != '#'; p = skip_blanks(p)) {
      const char* const start = p;
      std::uint64_t written = 0;
      p = read_digits(p, written);
      if (p == start || *p != ':') return fail(Fault::pair, start);
      if (p - start > kMostIndexDigits) return fail(Fault::index_size, start);
      if (written > kLargest) return fail(Fault::index_width, start);
      const auto index = std::int64_t(written);
      if (index <= previous) return fail(Fault::index_order, start, previous);
      if (previous < 0) {
        if (index == 0 && !options_.zero_allowed) return fail(Fault::index_zero, start);
        sum_.least_index = std::min(sum_.least_index, index);
      }
      previous = index;
      const char* const number = ++p;
      double value;
      p = read_real(p, end_, value);
      if (!p || !ends_token(*p)) return fail(Fault::value, number);
      *indices++ = Index(index - first_index);
      *values = Real(value);
      if (!std::isfinite(*values++)) return fail(Fault::value_size, number);
    }
    sum_.entries = indices - out_.indices;
    sum_.largest_index = std::max(sum_.largest_index, previous);
    return p;
  }

  const char *begin_, *end_;
  std::int64_t offset_;
  SvmlightOptions options_;
  SvmlightOutput<Real, Index> out_;
  SvmlightSummary sum_;
};

}  // namespace polymargin
