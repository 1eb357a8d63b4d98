// Runs the tests of one file, unless they were compiled for a processor other than this one.
#include <algorithm>
#include <cstdio>

#include "check.hpp"
#include "polymargin/base/cpu.hpp"

int main() {
  using namespace polymargin;
  const char* const set = POLYMARGIN_INSTRUCTION_SET;
  const auto sets = supported_instruction_sets();
  const bool runs_here = std::find(sets.begin(), sets.end(), set) != sets.end();
  if (runs_here)
    test::run_tests();
  else
    std::printf("this processor has no %s\n", set);
  std::printf("%ld passed, %ld failed\n", test::passed, test::failed);
  constexpr int kSkipped = 77;
  return !runs_here ? kSkipped : test::failed > 0;
}
