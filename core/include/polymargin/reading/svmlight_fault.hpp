// What can be wrong with svmlight text, where, and how to say it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "polymargin/reading/label_words.hpp"
#include "polymargin/reading/text_position.hpp"

namespace polymargin {

enum class Fault : std::uint8_t {
  none,
  label,
  several_labels,
  long_label,
  infinite_label,
  label_encoding,
  query,
  pair,
  index_zero,
  index_order,
  index_size,
  index_width,  // too large for a narrow type: the caller takes a wide one
  value,
  value_size,
};

inline constexpr int kMostIndexDigits = 18;

struct Failure {
  Fault fault = Fault::none;
  std::int64_t offset = 0;          // in the text
  std::int64_t previous_index = 0;  // as written
};

inline bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}
inline bool ends_token(char c) { return is_blank(c) || c == '\n' || c == '#'; }

// The word at the beginning of a text.
inline std::string_view token_of(std::string_view text) {
  return text.substr(
      0, std::size_t(std::find_if(text.begin(), text.end(), ends_token) - text.begin()));
}

struct Description {
  TextPosition position;
  std::string expected;
  std::string found;  // empty: the end of the line, or a blank
};

inline std::string expected_by(const Failure& failure, std::string_view found) {
  switch (failure.fault) {
    case Fault::none: break;
    case Fault::label: return "a label, as in the first row";
    case Fault::several_labels: return "one label";
    case Fault::long_label: return "a label of at most " + std::to_string(kLongestLabel) + " bytes";
    case Fault::infinite_label: return "a finite label";
    case Fault::label_encoding: return "a label in UTF-8";
    case Fault::query: return "qid: and a whole number";
    case Fault::pair: return "index:value";
    case Fault::index_zero: return "an index from 1 on, as zero_based=False";
    case Fault::index_order:
      return "an index above " + std::to_string(failure.previous_index) +
             ", as indices must ascend";
    case Fault::index_size:
    case Fault::index_width:
      return "an index of at most " + std::to_string(kMostIndexDigits) + " digits";
    case Fault::value: return is_infinite(found) ? "a finite number" : "a number";
    case Fault::value_size: return "a number that is finite in this dtype";
  }
  return "";
}

inline Description describe(std::string_view text, const Failure& failure) {
  const std::string found(token_of(text.substr(std::size_t(failure.offset))));
  return {position_of(text, failure.offset), expected_by(failure, found), found};
}

}  // namespace polymargin
