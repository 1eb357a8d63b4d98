#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "table_checks.hpp"

namespace polymargin::test::test_table {

void check_a_small_table() {
  const std::string text = "1,2,spam\n\n -3e1 ,\"4\", \"a,\"\"b\"\"\" \r\n  \r\n5,.5,x";
  const auto table = parse(text, {',', 3, 2});
  CHECK(table.failure.fault == TableFault::none);
  CHECK_EQUAL(table.rows, 3);
  CHECK(!table.labels_are_numbers);
  const std::vector<double> values{1, 2, -30, 4, 5, 0.5};
  CHECK(std::equal(values.begin(), values.end(), table.values.get()));
  const std::string whole = text + '\n';
  const std::vector<std::string> words{"spam", "\"a,\"\"b\"\"\"", "x"};
  for (int i = 0; i < 3; ++i)
    CHECK(field_at(whole.data() + table.label_offsets[i], ',').word() == words[i]);
}

void check_labels() {
  const auto first = parse("7;1\n\"8\";2", {';', 2, 0});
  CHECK(first.labels_are_numbers);
  CHECK_EQUAL(first.labels[0], 7);
  CHECK_EQUAL(first.labels[1], 8);
  CHECK_EQUAL(first.values[1], 2);
  const auto none = parse("7\t1\n", {'\t', 2, -1});
  CHECK(!none.labels);
  CHECK_EQUAL(none.values[1], 1);
  CHECK_EQUAL(parse("1\n2\n", {',', 1, -1}).rows, 2);
  CHECK_EQUAL(parse("", {',', 2, 1}).rows, 0);
}

void check_codes() {
  const TableOptions options{',', 2, 1};
  for (const char* text : {"0,01", "0.5,2", "-0,1", "10,1"}) CHECK(!parse(text, options).codes);
  for (const char* text : {"01,1", "2,1\n 00,1", "\"02134\",1"}) CHECK(parse(text, options).codes);
}

void check_fault(const std::string& row, TableFault fault, std::int64_t column, std::int64_t at) {
  for (const std::string& text : {row, row + "\n", "\n1,2,x\n" + row + "\n1,2,x\n"}) {
    const std::int64_t before = text[0] == '\n';
    const auto failure = parse(text, {',', 3, 2}).failure;
    if (failure.fault != fault) std::printf("%s\n", text.c_str());
    CHECK(failure.fault == fault);
    CHECK_EQUAL(failure.column, column);
    const auto description = describe(text, ',', 3, failure);
    CHECK_EQUAL(description.position.line, 1 + 2 * before);
    CHECK_EQUAL(description.position.column, at);
    CHECK(!description.expected.empty());
  }
}

void check_faults() {
  check_fault("1,2", TableFault::few_columns, 2, 4);
  check_fault("1", TableFault::few_columns, 1, 2);
  check_fault("1,2,3,4", TableFault::many_columns, 3, 7);
  check_fault("1,red,x", TableFault::number, 1, 3);
  check_fault("1,,x", TableFault::number, 1, 3);
  check_fault("1, ,x", TableFault::number, 1, 4);
  check_fault("1,2 3,x", TableFault::number, 1, 3);
  check_fault("1,\"2,x", TableFault::number, 1, 3);
  check_fault("1,\",x", TableFault::number, 1, 3);
  check_fault("1,1e999,x", TableFault::number_size, 1, 3);
  check_fault("1,2,", TableFault::label, 2, 5);
  check_fault("1,2,\"\"", TableFault::label, 2, 5);
  check_fault("1,2,NaN", TableFault::label, 2, 5);
  check_fault("1,2,1e999", TableFault::label, 2, 5);
  check_fault("1,2,\"x", TableFault::quote, 2, 5);
  check_fault("1,2,\"", TableFault::quote, 2, 5);
  check_fault("1,2,\"x\"y", TableFault::quote, 2, 5);
  check_fault("1,2,\xFF", TableFault::label_encoding, 2, 5);
  check_fault("1,2," + std::string(256, 'x'), TableFault::long_label, 2, 5);
}

// A wide first row and many lines: memory is for rows that can be there.
void check_memory() {
  const std::string text = std::string(200'000, '\n') + "1,2\n";
  const TableOptions options{',', 1'000'000'000, -1};
  CHECK(parse(text, options).failure.fault == TableFault::few_columns);
}

void check_threads() {
  std::string text;
  for (int i = 0; i < 700; ++i)
    text += std::to_string(i) + ",0.25," + std::to_string(i % 3) + (i % 5 ? "\n" : "\r\n\n");
  const TableOptions options{',', 3, 2};
  for (int failures = 0; failures < 2; ++failures) {
    const auto expected = parse(text, options);
    CHECK((expected.failure.fault == TableFault::none) == (failures == 0));
    for (int threads = 1; threads <= 8; ++threads)
      for (std::int64_t chunk_size : {1, 3, 50, 777, 100000})
        CHECK(same(parse(text, options, threads, chunk_size), expected, options));
    text.insert(text.find('\n', text.size() / 2), ",9");
    text.insert(text.find('\n', 2 * text.size() / 3), ",9");
  }
}

void run_tests() {
  check_a_small_table();
  check_labels();
  check_codes();
  check_faults();
  check_memory();
  check_threads();
}

}  // namespace polymargin::test::test_table
