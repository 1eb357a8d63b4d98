// Lines and columns of a text, as an editor counts them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace polymargin {

struct TextPosition {
  std::int64_t line = 1, column = 1;  // columns are characters of UTF-8
};

inline TextPosition position_of(std::string_view text, std::int64_t offset) {
  const std::string_view before = text.substr(0, std::size_t(offset));
  const auto line_end = before.rfind('\n');
  const auto line = before.substr(line_end == before.npos ? 0 : line_end + 1);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  TextPosition position;
  position.line += std::count(before.begin(), before.end(), '\n');
  position.column += std::int64_t(line.size()) - std::count_if(line.begin(), line.end(), continues);
  return position;
}

}  // namespace polymargin
