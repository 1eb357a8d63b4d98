// Labels that are words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace polymargin {

inline constexpr std::int64_t kLongestLabel = 255;
inline constexpr std::int64_t kLongestLabels = 8191;  // of one row, with the commas

// Whether a word means a number that is not finite.
inline bool is_infinite(std::string_view word) {
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
  std::string lower(word.substr(0, 9));
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

// Whether the bytes are text in UTF-8, without overlong forms and surrogates, and without zeros.
inline bool is_utf8(std::string_view word) {
  for (std::size_t i = 0; i < word.size();) {
    const auto byte = [&](std::size_t at) {
      return at < word.size() ? static_cast<unsigned char>(word[at]) : 0u;
    };
    const unsigned first = byte(i), second = byte(i + 1);
    if (first == 0 || (first >= 0x80 && first < 0xC2) || first > 0xF4) return false;
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
      return false;
    i += length;
  }
  return true;
}

}  // namespace polymargin
