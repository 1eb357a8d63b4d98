#include <algorithm>
#include <thread>

#include "check.hpp"
#include "svmlight_checks.hpp"

namespace polymargin::test::test_svmlight {

void check_a_small_text() {
  const std::string text =
      "\n# 1:1 says nothing\n+1 3:0.5 7:-2e1 # 9:9\r\n\t  \n-2.0 qid:7 1:1\n\n0.5\n 4\t2:1  ";
  const auto parsed = parse(text);
  CHECK(parsed.failure.fault == Fault::none);
  CHECK_EQUAL(parsed.rows, 4);
  CHECK_EQUAL(parsed.entries, 4);
  CHECK_EQUAL(parsed.features, 7);
  CHECK(parsed.labels_are_numbers);
  const std::vector<int> starts{0, 2, 3, 3, 4}, indices{2, 6, 0, 1};
  const std::vector<double> values{0.5, -20, 1, 1}, labels{1, -2, 0.5, 4};
  CHECK(std::equal(starts.begin(), starts.end(), parsed.row_starts.get()));
  CHECK(std::equal(indices.begin(), indices.end(), parsed.indices.get()));
  CHECK(std::equal(values.begin(), values.end(), parsed.values.get()));
  CHECK(std::equal(labels.begin(), labels.end(), parsed.labels.get()));
}

void check_first_indices() {
  CHECK_EQUAL(parse("1 2:1\n").indices[0], 1);
  CHECK_EQUAL(parse("1 2:1\n", FirstIndex::one).indices[0], 1);
  CHECK_EQUAL(parse("1 2:1\n", FirstIndex::zero).indices[0], 2);
  const auto both = parse("1 2:1\n1 0:1\n");
  CHECK_EQUAL(both.indices[0], 2);
  CHECK_EQUAL(both.indices[1], 0);
  CHECK_EQUAL(both.features, 3);
  CHECK(parse("1 0:1\n", FirstIndex::one).failure.fault == Fault::index_zero);
}

void check_labels() {
  CHECK(!parse("spam 1:1\n2 1:1\n").labels_are_numbers);
  CHECK(!parse("1:1 2:2\n2:3\n").labels);
  CHECK_EQUAL(parse("1:1 2:2\n\n2:3\n").rows, 2);
  CHECK_EQUAL(parse("").rows, 0);
  CHECK_EQUAL(parse("# nothing").rows, 0);
  CHECK_EQUAL(parse("\n \n").rows, 0);
}

void check_fault(const std::string& text, Fault fault, std::int64_t line, std::int64_t column) {
  for (const std::string& whole : {text, text + "\n", "1 1:1\n\xC3\xA4 1:1\n" + text + "\n1 1:1"}) {
    const auto failure = parse(whole).failure;
    const auto description = describe(whole, failure);
    if (failure.fault != fault) std::printf("%s\n", whole.c_str());
    CHECK(failure.fault == fault);
    CHECK_EQUAL(description.position.line,
                line + (whole[0] == '1' && whole.size() > text.size() + 1 ? 2 : 0));
    CHECK_EQUAL(description.position.column, column);
    CHECK(!description.expected.empty());
  }
}

// Any number of labels a row; the offset of none is that of the first pair.
void check_several_labels() {
  const std::string text = "1,5,9 3:0.4\n 2:1\n7 1:1\nqid:3 1:2\nb,a\n";
  for (const std::int64_t chunk_size : {4, 1000}) {
    const auto parsed =
        SvmlightParser<double, std::int32_t>(text, FirstIndex::one, 1, never, chunk_size, true)
            .parse();
    CHECK(parsed.failure.fault == Fault::none);
    CHECK_EQUAL(parsed.rows, 5);
    CHECK_EQUAL(parsed.entries, 4);
    CHECK(!parsed.labels_are_numbers);
    const char* const words[] = {"1,5,9", "2:1", "7", "qid:3", "b,a"};
    for (int i = 0; i < 5; ++i)
      CHECK(token_of(std::string_view(text).substr(std::size_t(parsed.label_offsets[i]))) ==
            words[i]);
  }
  const std::string longest(8192, 'x');
  const auto parsed = SvmlightParser<double, std::int32_t>(longest, FirstIndex::one, 1, never,
                                                           TextChunks::kSize, true)
                          .parse();
  CHECK(parsed.failure.fault == Fault::long_label);
}

void check_faults() {
  check_fault("9,2 1:1", Fault::several_labels, 1, 1);
  check_fault(std::string(256, 'x') + " 1:1", Fault::long_label, 1, 1);
  check_fault("nan 1:1", Fault::infinite_label, 1, 1);
  check_fault("-Infinity 1:1", Fault::infinite_label, 1, 1);
  check_fault("1e999 1:1", Fault::infinite_label, 1, 1);
  for (const char* word : {"\xC3", "\xC3(", "\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                           "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF", "\xE2\x82"})
    check_fault(word + std::string(" 1:1"), Fault::label_encoding, 1, 1);
  check_fault(std::string("a\0b 1:1", 7), Fault::label_encoding, 1, 1);
  for (const char* word : {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF"})
    CHECK(parse(word).failure.fault == Fault::none);
  check_fault("7 qid:x 1:1", Fault::query, 1, 3);
  check_fault("7 qid: 1:1", Fault::query, 1, 3);
  check_fault("7 quid:1 1:1", Fault::pair, 1, 3);
  check_fault("7 1:1 qid:1", Fault::pair, 1, 7);
  check_fault("7 1:1 2", Fault::pair, 1, 7);
  check_fault("7 -1:1", Fault::pair, 1, 3);
  check_fault("\xC3\xA4 :1", Fault::pair, 1, 3);
  check_fault("7 1 :1", Fault::pair, 1, 3);
  check_fault("7 2:1 2:1", Fault::index_order, 1, 7);
  check_fault("7 2:1 1:1", Fault::index_order, 1, 7);
  check_fault("7 1234567890123456789:1", Fault::index_size, 1, 3);
  check_fault("7 99999999999999999999999999999:1", Fault::index_size, 1, 3);
  check_fault("7 2147483647:1", Fault::index_width, 1, 3);
  check_fault("7 1:", Fault::value, 1, 5);
  check_fault("7 1: 2:3", Fault::value, 1, 5);
  check_fault("7 1:x", Fault::value, 1, 5);
  check_fault("7 1:1:1", Fault::value, 1, 5);
  check_fault("7 1:nan", Fault::value, 1, 5);
  check_fault("7 1:1e999", Fault::value_size, 1, 5);
  const auto later = parse("1 1:1\n2:1\n").failure;
  CHECK(later.fault == Fault::label);
  CHECK_EQUAL(later.offset, 6);
  CHECK(parse("1:1\n2 1:1\n").failure.fault == Fault::pair);
  const std::string narrow = "1 1:1e200\n";
  const auto small = SvmlightParser<float, std::int32_t>(narrow, FirstIndex::one, 1, never).parse();
  CHECK(small.failure.fault == Fault::value_size);
  const auto wide =
      SvmlightParser<float, std::int64_t>("1 999999999999999999:1", FirstIndex::one, 1, never)
          .parse();
  CHECK_EQUAL(wide.features, 999999999999999999);
}

std::string long_text(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    if (i % 7 == 0) text += "# a comment: 1:2\n";
    text += std::to_string(i % 5) + (i % 3 == 0 ? " qid:1" : "");
    for (int j = 1; j < i % 11; ++j)
      text.append(" ").append(std::to_string(3 * j)).append(":").append(std::to_string(i * 0.37));
    text += i % 2 ? "\n" : "\r\n";
  }
  return text;
}

// Neither threads nor chunks show in the result, with a failure or without.
void check_threads() {
  std::string text = long_text(500);
  for (int failures = 0; failures < 2; ++failures) {
    const auto expected = parse(text);
    CHECK((expected.failure.fault == Fault::none) == (failures == 0));
    for (int threads = 1; threads <= 8; ++threads)
      for (std::int64_t chunk_size : {1, 3, 50, 777, 100000})
        CHECK(same(parse(text, FirstIndex::unknown, threads, chunk_size), expected));
    text.insert(text.find('\n', 2 * text.size() / 3), " x");
    text.insert(text.find('\n', 3 * text.size() / 4), " 9:y");
  }
}

// A signal ends it: no arrays, no failure.
void check_stop() {
  const std::string text = long_text(2000);
  const std::function<bool()> stop = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return true;
  };
  SvmlightParser<double, std::int32_t> parser(text, FirstIndex::one, 1, stop, 16);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(parser.parse().stopped);
  CHECK(!parse(text).stopped);
}

void run_tests() {
  check_a_small_text();
  check_first_indices();
  check_labels();
  check_faults();
  check_several_labels();
  check_threads();
  check_stop();
}

}  // namespace polymargin::test::test_svmlight
