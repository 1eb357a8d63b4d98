// What can be wrong with svmlight text, where, and how to say it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

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

inline constexpr std::int64_t kLongestLabel = 255;
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

// Whether a word means a number that is not finite.
inline bool is_infinite(std::string_view word) {
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
  std::string lower(word.substr(0, 9));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

// The word at the beginning of a text.
inline std::string_view token_of(std::string_view text) {
  return text.substr(
      0, std::size_t(std::find_if(text.begin(), text.end(), ends_token) - text.begin()));
}

struct Description {
  std::int64_t line = 1, column = 1;  // from 1; columns are characters
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
  const std::string_view before = text.substr(0, std::size_t(failure.offset));
  const auto line_end = before.rfind('\n');
  const auto line = before.substr(line_end == before.npos ? 0 : line_end + 1);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  Description result;
  result.line += std::count(before.begin(), before.end(), '\n');
  result.column += std::int64_t(line.size()) - std::count_if(line.begin(), line.end(), continues);
  result.found = token_of(text.substr(std::size_t(failure.offset)));
  result.expected = expected_by(failure, result.found);
  return result;
}

}  // namespace polymargin
