#include <cstdlib>
#include <cstring>
#include <string>

#include "check.hpp"
#include "polymargin/base/random.hpp"
#include "polymargin/reading/real_number.hpp"

namespace polymargin::test::test_real_number {

// The C library rounds correctly: every bit must be the same.
void check_against_strtod(const std::string& number) {
  const std::string line = number + "\n";
  double value = 0;
  const char* const stop = read_real(line.data(), line.data() + line.size(), value);
  CHECK(stop == line.data() + number.size());
  const double expected = std::strtod(number.c_str(), nullptr);
  const bool same = std::memcmp(&value, &expected, sizeof value) == 0;
  if (!same) std::printf("%s\n", number.c_str());
  CHECK(same);
}

std::string random_digits(Random& random, std::uint32_t most) {
  std::string digits;
  for (auto count = random.below(most + 1); count > 0; --count)
    digits += char('0' + random.below(10));
  return digits;
}

void check_random_numbers() {
  Random random(1);
  for (int i = 0; i < 200'000; ++i) {
    std::string number = random.below(3) == 0 ? "-" : random.below(9) == 0 ? "+" : "";
    number += std::string(random.below(4) == 0 ? random.below(30) : 0, '0');
    number += random_digits(random, 1 + random.below(22)) + "1";
    if (random.below(3) != 0) number.append(".").append(random_digits(random, random.below(30)));
    if (random.below(3) == 0) {
      number += random.below(2) ? "e" : "E-";
      number += std::to_string(random.below(random.below(2) ? 20 : 340));
    }
    check_against_strtod(number);
  }
}

// Numbers exactly between two doubles, and just beside: here a rounding that is not exact shows.
void check_ties() {
  Random random(2);
  for (int i = 0; i < 100'000; ++i) {
    // An odd number of 54 bits, divided by 2^places: a decimal fraction of that many places.
    const std::uint64_t odd = (std::uint64_t(1) << 53) | ((random.next() >> 12) << 1) | 1;
    const int places = int(random.below(4));
    std::uint64_t numerator = odd;
    for (int k = 0; k < places; ++k) numerator *= 5;
    std::string number = std::to_string(numerator);
    number.insert(number.end() - places, '.');
    check_against_strtod(number);
    check_against_strtod(number + "00");
    check_against_strtod(number + "01");
    number.back() = char(number.back() - (number.back() > '1' && number.back() <= '9'));
    check_against_strtod(number);
  }
}

void check_edges() {
  for (const char* number : {"0",
                             "-0",
                             "00000000000000000000000000",
                             ".5",
                             "5.",
                             "0.00000000000000000000000000001",
                             "9007199254740993",
                             "18446744073709551615",
                             "99999999999999999999",
                             "1e22",
                             "1e23",
                             "1e-22",
                             "1e-23",
                             "123456789012345678e-27",
                             "123456789012345678e-28",
                             "1.7976931348623157e308",
                             "1.7976931348623159e308",
                             "-1e400",
                             "4.9e-324",
                             "2e-324",
                             "-1e-400",
                             "0e99999999999999999999",
                             "1e-99999999999999999999",
                             "2.2250738585072011e-308"})
    check_against_strtod(number);
  const std::string zeros(400, '0');
  check_against_strtod("0." + zeros + "1");
  check_against_strtod("0." + zeros + "1e400");
  check_against_strtod("1" + zeros);
  check_against_strtod("1" + zeros + "e-400");
}

void check_what_is_no_number() {
  for (const char* text :
       {"", "-", "+", ".", "-.", "e5", "1e", "1e+", ".e1", "nan", "inf", "--1", "x"}) {
    const std::string line = std::string(text) + "\n";
    double value;
    CHECK(read_real(line.data(), line.data() + line.size(), value) == nullptr);
  }
}

void run_tests() {
  check_random_numbers();
  check_ties();
  check_edges();
  check_what_is_no_number();
}

}  // namespace polymargin::test::test_real_number
