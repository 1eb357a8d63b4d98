// Checks that count and print; a failed one does not stop the test.
#pragma once

#include <cmath>
#include <cstdio>

namespace polymargin::test {

// The tests of a file, which defines run_tests() in a namespace of its name.
struct TestFile {
  const char* name;
  void (*run_tests)();
};

inline long passed = 0, failed = 0;

inline bool never() { return false; }  // whether to stop

struct Place {
  const char* file;
  int line;
  const char* text;
};

inline void check(const Place& place, bool good, long double value, long double expected) {
  if (good) {
    ++passed;
    return;
  }
  constexpr long kMostPrinted = 30;
  if (++failed <= kMostPrinted)
    std::printf("%s:%d: %s: got %.12Lg, expected %.12Lg\n", place.file, place.line, place.text,
                value, expected);
}

template <class T, class U>
void check_equal(const Place& place, const T& value, const U& expected) {
  check(place, value == T(expected), static_cast<long double>(value),
        static_cast<long double>(expected));
}

// The next two are written so that NaN fails.
inline void check_near(const Place& place, long double value, long double expected,
                       long double tolerance) {
  check(place, value == expected || std::fabs(value - expected) <= tolerance, value, expected);
}
inline void check_at_most(const Place& place, long double value, long double bound) {
  check(place, value <= bound, value, bound);
}

}  // namespace polymargin::test

#define POLYMARGIN_PLACE(TEXT) (::polymargin::test::Place{__FILE__, __LINE__, TEXT})
#define CHECK(condition) \
  ::polymargin::test::check_equal(POLYMARGIN_PLACE(#condition), bool(condition), true)
#define CHECK_EQUAL(value, expected) \
  ::polymargin::test::check_equal(POLYMARGIN_PLACE(#value " == " #expected), value, expected)
#define CHECK_NEAR(value, expected, tolerance)                                              \
  ::polymargin::test::check_near(POLYMARGIN_PLACE(#value " ~ " #expected), value, expected, \
                                 tolerance)
#define CHECK_AT_MOST(value, bound) \
  ::polymargin::test::check_at_most(POLYMARGIN_PLACE(#value " <= " #bound), value, bound)
