// Rows of a table of numbers, one column of which may hold labels, into arrays.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "polymargin/reading/label_words.hpp"
#include "polymargin/reading/real_number.hpp"
#include "polymargin/reading/text_chunks.hpp"

namespace polymargin {

struct TableOptions {
  char delimiter = ',';
  std::int64_t columns = 1;
  std::int64_t label = -1;  // its column, or none
  std::int64_t features() const { return columns - (label >= 0); }
};

enum class TableFault : std::uint8_t {
  none,
  few_columns,
  many_columns,
  number,
  number_size,  // not finite in the type of the table
  label,
  long_label,
  label_encoding,
  quote,
};

struct TableFailure {
  TableFault fault = TableFault::none;
  std::int64_t offset = 0;  // in the text
  std::int64_t column = 0;  // of the table
};

// Where a field begins and ends, without the blanks around it, with quotes if there are; and where
// the delimiter or line end after it is. Twice a quote is a quote. Text must end with a line end.
struct Field {
  const char *begin, *end, *stop;
  bool closed = true;

  bool quoted() const { return begin != end && *begin == '"'; }
  std::string_view word() const { return {begin, std::size_t(end - begin)}; }
};

inline Field field_at(const char* p, char delimiter) {
  while (*p == ' ') ++p;
  Field field{p, p, p};
  const char* stop = p;
  if (*p == '"') {
    for (++stop; *stop != '\n' && (*stop != '"' || stop[1] == '"'); ++stop) stop += *stop == '"';
    field.closed = *stop == '"';
  }
  while (*stop != delimiter && *stop != '\n') ++stop;
  field.stop = field.end = stop;
  while (field.end != field.begin && (field.end[-1] == ' ' || field.end[-1] == '\r')) --field.end;
  return field;
}

// Where the rows of a chunk go.
template <class Real>
struct TableOutput {
  Real* values;  // row by row
  double* labels;
  std::int64_t* label_offsets;
  std::int64_t rows;  // for which there is room
};

struct TableSummary {
  std::int64_t rows = 0;
  bool labels_are_numbers = true;
  bool codes = false;  // some number begins with a zero before other digits, as codes do
  TableFailure failure;
  bool failed() const { return failure.fault != TableFault::none; }
};

template <class Real>
class TableRows {
 public:
  TableRows(const TextChunk& chunk, const TableOptions& options, const TableOutput<Real>& output)
      : begin_(chunk.begin),
        end_(chunk.end),
        offset_(chunk.offset),
        options_(options),
        out_(output) {}

  TableSummary parse() {
    const char* p = begin_;
    while (p != end_) {
      const char* first = p;
      while (*first == ' ' || *first == '\r') ++first;
      if (*first != '\n') {
        p = parse_row(p);
        if (!p) break;
        ++sum_.rows;
      } else {
        p = first;
      }
      ++p;
    }
    return sum_;
  }

 private:
  const char* fail(TableFault fault, const char* at, std::int64_t column) {
    sum_.failure = {fault, offset_ + (at - begin_), column};
    return nullptr;
  }

  // Returns the end of the line; nullptr if something is wrong.
  const char* parse_row(const char* p) {
    // Without room the row has too few columns, which is yet to be said.
    const bool has_room = sum_.rows < out_.rows;
    Real unused;
    Real* place = has_room ? out_.values + sum_.rows * options_.features() : &unused;
    for (std::int64_t column = 0;; ++column, ++p) {
      if (column == options_.columns) return fail(TableFault::many_columns, p, column);
      if (column == options_.label) {
        p = parse_label(p, column, has_room);
      } else {
        p = parse_number(p, column, place);
        place += has_room;
      }
      if (!p) return nullptr;
      if (*p == '\n') {
        if (column + 1 < options_.columns) return fail(TableFault::few_columns, p, column + 1);
        return p;
      }
    }
  }

  // Returns the delimiter or line end after the field.
  const char* parse_number(const char* p, std::int64_t column, Real* place) {
    double value;
    const char* stop = read_real(p, end_, value);
    if (stop && *stop == '\r' && stop[1] == '\n') ++stop;
    if (!stop || (*stop != options_.delimiter && *stop != '\n')) {
      const Field field = field_at(p, options_.delimiter);
      stop = number_of(field, value) ? field.stop : nullptr;
      if (!stop) return fail(TableFault::number, field.begin, column);
      p = field.begin + field.quoted();
    }
    sum_.codes |= *p == '0' && is_digit(p[1]);
    *place = Real(value);
    return std::isfinite(*place) ? stop : fail(TableFault::number_size, p, column);
  }

  // A number with blanks or quotes around it.
  bool number_of(const Field& field, double& value) const {
    const bool quoted = field.quoted();
    const char* const begin = field.begin + quoted;
    const char* const end = field.end - (quoted && field.word().back() == '"');
    return begin < end && read_real(begin, end_, value) == end;
  }

  const char* parse_label(const char* p, std::int64_t column, bool has_room) {
    const Field field = field_at(p, options_.delimiter);
    const std::string_view word = field.word();
    if (!field.closed || (field.quoted() && (word.size() < 2 || word.back() != '"')))
      return fail(TableFault::quote, field.begin, column);
    if (!has_room) return field.stop;
    double& label = out_.labels[sum_.rows];
    out_.label_offsets[sum_.rows] = offset_ + (field.begin - begin_);
    const bool is_number = number_of(field, label);
    if (word.empty() || word == "\"\"" || is_infinite(word) || (is_number && !std::isfinite(label)))
      return fail(TableFault::label, field.begin, column);
    if (std::int64_t(word.size()) > kLongestLabel)
      return fail(TableFault::long_label, field.begin, column);
    if (!is_utf8(word)) return fail(TableFault::label_encoding, field.begin, column);
    sum_.labels_are_numbers &= is_number;
    return field.stop;
  }

  const char *begin_, *end_;
  std::int64_t offset_;
  TableOptions options_;
  TableOutput<Real> out_;
  TableSummary sum_;
};

}  // namespace polymargin
