// Runs the test files of a program, or those whose names contain an argument, unless they were
// compiled for a processor other than this one.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "check.hpp"
#include "polymargin/base/cpu.hpp"
#include "test_files.hpp"

int main(int count, char** arguments) {
  using namespace polymargin;
  const char* const set = POLYMARGIN_INSTRUCTION_SET;
  const auto sets = supported_instruction_sets();
  if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
    constexpr int kSkipped = 77;
    std::printf("this processor has no %s\n", set);
    return kSkipped;
  }
  for (const test::TestFile& file : test::kTestFiles) {
    const auto named = [&](const char* part) { return std::strstr(file.name, part) != nullptr; };
    if (count > 1 && std::none_of(arguments + 1, arguments + count, named)) continue;
    const long failed = test::failed;
    file.run_tests();
    if (test::failed > failed) std::printf("%s fails\n", file.name);
  }
  std::printf("%ld passed, %ld failed\n", test::passed, test::failed);
  return test::failed > 0 || test::passed == 0;
}
