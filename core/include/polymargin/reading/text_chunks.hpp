// Text cut at line ends into chunks of about the same size, which do not depend on the number of
// threads; every chunk ends with a line end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "polymargin/base/parallel.hpp"

namespace polymargin {

struct TextChunk {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::int64_t offset = 0;  // of `begin` in the whole text
  std::int64_t lines = 0;
  std::int64_t marks = 0;  // how often the character that was asked for occurs
};

// Counts two characters; sums of bytes over short blocks become vector instructions.
inline void count_characters(TextChunk& chunk, char mark) {
  constexpr std::ptrdiff_t kBlock = 192;  // so that no sum of bytes overflows
  for (const char* p = chunk.begin; p != chunk.end;) {
    const std::ptrdiff_t size = std::min(chunk.end - p, kBlock);
    std::uint8_t lines = 0, marks = 0;
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      lines += p[i] == '\n';
      marks += p[i] == mark;
    }
    chunk.lines += lines;
    chunk.marks += marks;
    p += size;
  }
}

class TextChunks {
 public:
  static constexpr std::int64_t kSize = 1 << 18;

  // `idle` is called by the first thread now and then.
  template <class Idle>
  TextChunks(std::string_view text, char mark, int threads, Idle&& idle,
             std::int64_t chunk_size = kSize) {
    const auto last = text.rfind('\n');
    const std::size_t terminated = last == std::string_view::npos ? 0 : last + 1;
    const char* const data = text.data();
    const char* const stop = data + terminated;
    chunks_.resize((terminated + chunk_size - 1) / chunk_size);
    for_each_chunk(
        threads, std::int64_t(terminated), chunk_size,
        [&](int thread, auto at, auto begin, auto end) {
          TextChunk& chunk = chunks_[at];
          chunk.begin = begin == 0 ? data : after_line_end(data + begin - 1, data + end - 1);
          // A line that began before and ends later belongs to the chunk it began in.
          chunk.end = chunk.begin ? after_line_end(data + end - 1, stop) : nullptr;
          if (!chunk.end) chunk.begin = nullptr;
          chunk.offset = chunk.begin ? chunk.begin - data : 0;
          count_characters(chunk, mark);
          if (thread == 0) idle();
        },
        idle);
    if (terminated == text.size()) return;
    rest_.assign(text.substr(terminated)) += '\n';
    TextChunk chunk{rest_.data(), rest_.data() + rest_.size(), std::int64_t(terminated)};
    count_characters(chunk, mark);
    chunks_.push_back(chunk);
  }
  TextChunks(const TextChunks&) = delete;
  TextChunks& operator=(const TextChunks&) = delete;

  const std::vector<TextChunk>& all() const { return chunks_; }

 private:
  static const char* after_line_end(const char* from, const char* to) {
    const auto* at = static_cast<const char*>(std::memchr(from, '\n', std::size_t(to - from)));
    return at ? at + 1 : nullptr;
  }

  std::vector<TextChunk> chunks_;
  std::string rest_;  // a last line without line end, copied to give it one
};

}  // namespace polymargin
