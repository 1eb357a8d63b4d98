// Random and mutated texts: no crash under the sanitizers, the same result from any chunks and
// threads, arrays that are a CSR matrix, and what a plain parser finds.
#include <map>

#include "fuzz.hpp"
#include "svmlight_checks.hpp"

namespace polymargin::test::test_svmlight_fuzz {

const std::vector<std::string> kSeeds{
    "1 1:0.5 3:-2e-3\n2 2:1\n",
    "spam 1:1\nham 7:.25 # text 1:1\n\n\xC3\xA4 2:3",
    "+1 qid:3 1:0.1 2:0.22222222222222221\r\n-1 qid:4 5:1e10\r\n",
    "0:1 5:2\n3:4\n1:1 2:2 3:3 4:4\n",
    "# comment\n3.5 10:123456789012345678 20:1e-300\n",
    "1,2 1:1\n",
    "1\n2\n3 1:1",
};
const std::vector<std::string> kWords{" ",
                                      "\n",
                                      "\r\n",
                                      ":",
                                      "#",
                                      "1:",
                                      ":1",
                                      "qid:",
                                      "qid:1 ",
                                      "nan",
                                      "inf",
                                      "-",
                                      "e",
                                      "e-400",
                                      "e400",
                                      "99999999999999999999",
                                      "2147483647:1",
                                      "0:1",
                                      "0.",
                                      "00000000000000000000",
                                      "1:1 ",
                                      ",",
                                      "\t",
                                      std::string(1, '\0'),
                                      "\xFF",
                                      "\xE2\x82\xAC",
                                      "# \n",
                                      " 1:1 2:2 3:3",
                                      "\n\n\n",
                                      "\v",
                                      "\f"};

bool is_csr(const Parsed& parsed) {
  if (parsed.row_starts[0] != 0 || parsed.row_starts[parsed.rows] != parsed.entries) return false;
  for (std::int64_t i = 0; i < parsed.rows; ++i)
    for (auto e = parsed.row_starts[i]; e < parsed.row_starts[i + 1]; ++e) {
      const auto index = parsed.indices[e];
      if (index < 0 || index >= parsed.features || !std::isfinite(parsed.values[e])) return false;
      if (e > parsed.row_starts[i] && index <= parsed.indices[e - 1]) return false;
    }
  return true;
}

// `first` is the index that is stored as 0.
bool agrees(const Parsed& parsed, const Plain& plain, std::string_view text) {
  if (!plain.good || std::size_t(parsed.rows) != plain.rows.size()) return false;
  long least = 1;
  for (const auto& row : plain.rows)
    if (!row.empty()) least = std::min(least, row[0].first);
  for (std::int64_t i = 0; i < parsed.rows; ++i) {
    const auto& row = plain.rows[i];
    if (parsed.row_starts[i + 1] - parsed.row_starts[i] != std::int64_t(row.size())) return false;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const auto e = parsed.row_starts[i] + std::int64_t(k);
      if (parsed.indices[e] != row[k].first - least || parsed.values[e] != row[k].second)
        return false;
    }
    if (parsed.labels && token_of(text.substr(parsed.label_offsets[i])) != plain.labels[i])
      return false;
  }
  return true;
}

void check_input(const std::string& input, bool with_threads, std::map<Fault, long>& seen) {
  // Exactly as large as the text, so that a read past it is caught.
  const std::vector<char> exact(input.begin(), input.end());
  const std::string_view text(exact.data(), exact.size());
  const auto parsed = parse(text);
  ++seen[parsed.failure.fault];
  bool good = same(parse(text, FirstIndex::unknown, 1, 5), parsed);
  if (with_threads) good = good && same(parse(text, FirstIndex::unknown, 3, 2), parsed);
  const auto plain = parse_plainly(input);
  if (parsed.failure.fault == Fault::none) {
    good = good && is_csr(parsed) && agrees(parsed, plain, text);
  } else {
    const auto description = describe(text, parsed.failure);
    good = good && description.position.line >= 1 && description.position.column >= 1;
    // The plain parser is lenient with labels: it knows only about pairs.
    const Fault fault = parsed.failure.fault;
    if (fault == Fault::pair || fault == Fault::value || fault == Fault::index_order)
      good = good && !plain.good;
  }
  check_fuzzed(input, good);
}

void run_tests() {
  const long inputs = fuzz_inputs();
  Random random(fuzz_seed());
  std::map<Fault, long> seen;
  for (long i = 0; i < inputs; ++i) check_input(mutated(random, kSeeds, kWords), i % 64 == 0, seen);
  // Every fault but those that need a text of its own was met, and so was text without fault.
  for (Fault fault : {Fault::none, Fault::label, Fault::several_labels, Fault::infinite_label,
                      Fault::label_encoding, Fault::query, Fault::pair, Fault::index_order,
                      Fault::index_size, Fault::index_width, Fault::value, Fault::value_size})
    CHECK(inputs < 10'000 || seen[fault] > 0);
  std::printf("%ld inputs, %ld of them without fault\n", inputs, seen[Fault::none]);
}

}  // namespace polymargin::test::test_svmlight_fuzz
