// Parsing a text chunk by chunk on threads, until something is wrong with it or a signal comes.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "polymargin/base/parallel.hpp"
#include "polymargin/base/poller.hpp"
#include "polymargin/reading/text_chunks.hpp"

namespace polymargin {

// Moves a part of an array towards its beginning.
template <class T>
void move_up(T* array, std::int64_t from, std::int64_t to, std::int64_t count) {
  if (array && from != to) std::copy_n(array + from, count, array + to);
}

class ChunkParsing {
 public:
  // `mark` is the character to count in every chunk; `poll` asks whether to stop.
  ChunkParsing(std::string_view text, char mark, int threads, const std::function<bool()>& poll,
               std::int64_t chunk_size = TextChunks::kSize)
      : threads_(threads),
        poller_(poll),
        text_(text, mark, threads, [this] { ask(); }, chunk_size) {}

  const std::vector<TextChunk>& chunks() const { return text_.all(); }
  bool stopped() const { return stopped_; }

  // Calls parse(number of a chunk), whose result has failed(), and returns the results in order.
  // All chunks before the first that failed are parsed, on any number of threads.
  template <class Parse>
  auto run(Parse&& parse) {
    const auto count = std::int64_t(chunks().size());
    std::vector<decltype(parse(std::size_t()))> results(chunks().size());
    std::atomic<std::int64_t> first_failed = count;
    for_each_chunk(
        threads_, count, 1,
        [&](int thread, auto at, auto, auto) {
          if (thread == 0) ask();
          if (stopped_ || at > first_failed) return;
          auto& result = results[std::size_t(at)] = parse(std::size_t(at));
          if (!result.failed()) return;
          for (auto first = first_failed.load(); at < first;)
            if (first_failed.compare_exchange_weak(first, at)) break;
        },
        [this] { ask(); });
    return results;
  }

 private:
  void ask() {
    if (!stopped_) stopped_ = poller_.asks_to_stop();
  }

  int threads_;
  Poller poller_;
  std::atomic<bool> stopped_ = false;
  TextChunks text_;
};

}  // namespace polymargin
