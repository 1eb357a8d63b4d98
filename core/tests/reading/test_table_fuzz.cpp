// Random and mutated tables: no crash under the sanitizers, the same result from any chunks and
// threads, finite numbers, and what a plain parser finds where there are no quotes.
#include <cmath>
#include <map>
#include <sstream>

#include "fuzz.hpp"
#include "table_checks.hpp"

namespace polymargin::test::test_table_fuzz {

const std::vector<std::string> kSeeds{
    "1,2,spam\n3,4,ham\n",
    "0.5,-1e3,7\r\n2,2,8\r\n\n3,3,9",
    "1,\"2\",\"a,\"\"b\"\"\"\n4, 5 ,\xC3\xA4\n",
    "1,2,3\n",
};
const std::vector<std::string> kWords{",",
                                      "\n",
                                      "\r\n",
                                      "\"",
                                      "\"\"",
                                      ",,",
                                      " ",
                                      "nan",
                                      "inf",
                                      "e400",
                                      "-",
                                      ".",
                                      "1,2,x\n",
                                      "\t",
                                      "\"x\"",
                                      "\"\n",
                                      std::string(1, '\0'),
                                      "\xFF",
                                      "\xE2\x82\xAC",
                                      "99999999999999999999"};
const TableOptions kOptions{',', 3, 2};

std::string trimmed(const std::string& field) {
  const auto first = field.find_first_not_of(' '), last = field.find_last_not_of(" \r");
  return first == field.npos || last == field.npos || last < first
             ? ""
             : field.substr(first, last + 1 - first);
}

// Fields by lines and delimiters.
bool agrees(const Table<double>& table, const std::string& text) {
  std::istringstream lines(text);
  std::int64_t row = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \r") == line.npos) continue;
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, ',');) fields.push_back(trimmed(field));
    if (row == table.rows || fields.size() != 3) return false;
    for (int j = 0; j < 2; ++j)
      if (std::strtod(fields[j].c_str(), nullptr) != table.values[2 * row + j]) return false;
    const std::string whole = text.substr(std::size_t(table.label_offsets[row])) + '\n';
    if (field_at(whole.data(), ',').word() != fields[2]) return false;
    ++row;
  }
  return row == table.rows;
}

void check_input(const std::string& input, bool with_threads, std::map<TableFault, long>& seen) {
  const std::vector<char> exact(input.begin(), input.end());
  const std::string_view text(exact.data(), exact.size());
  const auto table = parse(text, kOptions);
  ++seen[table.failure.fault];
  bool good = same(parse(text, kOptions, 1, 5), table, kOptions);
  if (with_threads) good = good && same(parse(text, kOptions, 3, 2), table, kOptions);
  if (table.failure.fault == TableFault::none) {
    for (std::int64_t e = 0; e < 2 * table.rows; ++e) good = good && std::isfinite(table.values[e]);
    if (input.find('"') == input.npos) good = good && agrees(table, input);
  } else {
    const auto description = describe(text, ',', 3, table.failure);
    good = good && description.position.line >= 1 && !description.expected.empty();
  }
  check_fuzzed(input, good);
}

void run_tests() {
  const long inputs = fuzz_inputs();
  Random random(fuzz_seed());
  std::map<TableFault, long> seen;
  for (long i = 0; i < inputs; ++i) check_input(mutated(random, kSeeds, kWords), i % 64 == 0, seen);
  for (TableFault fault :
       {TableFault::none, TableFault::few_columns, TableFault::many_columns, TableFault::number,
        TableFault::number_size, TableFault::label, TableFault::label_encoding, TableFault::quote})
    CHECK(inputs < 10'000 || seen[fault] > 0);
  std::printf("%ld inputs, %ld of them without fault\n", inputs, seen[TableFault::none]);
}

}  // namespace polymargin::test::test_table_fuzz
