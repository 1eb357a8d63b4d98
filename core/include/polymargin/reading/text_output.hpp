// Rows as text: svmlight, or a table. Every number is the shortest that reads back as the same.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace polymargin {

template <class Number>
void append_number(std::string& text, Number value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// "label index:value ...". Without a label, a row without entries gets a zero: a blank line would
// be no row.
template <class Real, class Index>
void append_svmlight_row(std::string& text, std::string_view label, const Index* indices,
                         const Real* values, std::int64_t count, int first_index) {
  text += label;
  bool blank = !label.empty();
  const auto append_pair = [&](std::int64_t index, Real value) {
    if (blank) text += ' ';
    blank = true;
    append_number(text, index + first_index);
    text += ':';
    append_number(text, value);
  };
  for (std::int64_t i = 0; i < count; ++i) append_pair(indices[i], values[i]);
  if (label.empty() && count == 0) append_pair(0, 0);
  text += '\n';
}

// The label comes last.
template <class Real>
void append_table_row(std::string& text, std::string_view label, const Real* values,
                      std::int64_t count, char delimiter) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) text += delimiter;
    append_number(text, values[i]);
  }
  if (!label.empty()) (text += delimiter) += label;
  text += '\n';
}

}  // namespace polymargin
