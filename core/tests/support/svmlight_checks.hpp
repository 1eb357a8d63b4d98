// What tests of svmlight text share: parsing, and a plain parser to compare with.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "polymargin/reading/svmlight.hpp"

namespace polymargin::test {

using Parsed = Svmlight<double, std::int32_t>;

inline Parsed parse(std::string_view text, FirstIndex first = FirstIndex::unknown, int threads = 1,
                    std::int64_t chunk_size = TextChunks::kSize) {
  return SvmlightParser<double, std::int32_t>(text, first, threads, never, chunk_size).parse();
}

template <class T>
bool same(const std::unique_ptr<T[]>& a, const std::unique_ptr<T[]>& b, std::int64_t size) {
  if (!a || !b) return !a && !b;
  return std::memcmp(a.get(), b.get(), std::size_t(size) * sizeof(T)) == 0;
}

inline bool same(const Parsed& a, const Parsed& b) {
  if (a.failure.fault != Fault::none || b.failure.fault != Fault::none)
    return a.failure.fault == b.failure.fault && a.failure.offset == b.failure.offset &&
           a.failure.previous_index == b.failure.previous_index;
  return a.rows == b.rows && a.entries == b.entries && a.features == b.features &&
         a.labels_are_numbers == b.labels_are_numbers && same(a.values, b.values, a.entries) &&
         same(a.indices, b.indices, a.entries) && same(a.row_starts, b.row_starts, a.rows + 1) &&
         same(a.labels, b.labels, a.rows) && same(a.label_offsets, b.label_offsets, a.rows);
}

// The format once more, by the streams and numbers of the library, one line at a time. Only what is
// right is understood; `good` says whether all of it was.
struct Plain {
  bool good = true;
  std::vector<std::string> labels;
  std::vector<std::vector<std::pair<long, double>>> rows;
};

inline bool plain_number(const std::string& word, double& value) {
  if (word.find_first_not_of("0123456789+-.eE") != word.npos) return false;
  char* stop = nullptr;
  value = std::strtod(word.c_str(), &stop);
  return !word.empty() && *stop == '\0' && std::isfinite(value);
}

inline Plain parse_plainly(const std::string& text) {
  Plain plain;
  std::istringstream lines(text);
  bool labelled = true;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    if (all.empty()) continue;
    if (plain.rows.empty()) labelled = all[0].find(':') == std::string::npos;
    std::size_t at = 0;
    if (labelled) {
      const std::string& label = all[at++];
      plain.labels.push_back(label);
      if (label.find_first_of(":,") != label.npos) plain.good = false;
      if (at < all.size() && all[at].substr(0, 4) == "qid:") {
        const auto number = all[at++].substr(4);
        if (number.empty() || number.find_first_not_of("0123456789") != number.npos)
          plain.good = false;
      }
    }
    std::vector<std::pair<long, double>> row;
    for (; at < all.size(); ++at) {
      const auto colon = all[at].find(':');
      const std::string index = all[at].substr(0, colon);
      double value = 0;
      if (colon == std::string::npos || index.empty() || index.size() > 18 ||
          index.find_first_not_of("0123456789") != index.npos ||
          !plain_number(all[at].substr(colon + 1), value) ||
          (!row.empty() && std::atol(index.c_str()) <= row.back().first)) {
        plain.good = false;
        break;
      }
      row.emplace_back(std::atol(index.c_str()), value);
    }
    plain.rows.push_back(row);
  }
  return plain;
}

}  // namespace polymargin::test
