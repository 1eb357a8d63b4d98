// Texts made by mutation, always the same ones. The environment variable POLYMARGIN_FUZZ_INPUTS
// says how many, POLYMARGIN_FUZZ_SEED which.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "check.hpp"
#include "polymargin/base/random.hpp"

namespace polymargin::test {

inline long from_environment(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}
inline long fuzz_inputs() { return from_environment("POLYMARGIN_FUZZ_INPUTS", 20'000); }
inline std::uint64_t fuzz_seed() {
  return std::uint64_t(from_environment("POLYMARGIN_FUZZ_SEED", 1));
}

// One of the seeds, or two, after a few changes; `words` are put in here and there.
inline std::string mutated(Random& random, const std::vector<std::string>& seeds,
                           const std::vector<std::string>& words) {
  const auto some = [&](const auto& list) {
    return list[random.below(std::uint32_t(list.size()))];
  };
  std::string text = some(seeds);
  if (random.below(4) == 0) text += some(seeds);
  for (auto count = random.below(8); count > 0; --count) {
    const auto at = random.below(std::uint32_t(text.size()) + 1);
    const auto length = random.below(6);
    switch (random.below(6)) {
      case 0: text.insert(at, some(words)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, 3 * length)); break;
      case 3: text.insert(at, 1, char(random.below(256))); break;
      case 4:
        if (at < text.size()) text[at] = char(text[at] ^ (1 << random.below(8)));
        break;
      case 5: text.insert(at, std::to_string(random.next() >> random.below(64))); break;
    }
  }
  return text;
}

// Shows the input if it was not good.
inline void check_fuzzed(const std::string& input, bool good) {
  if (!good) {
    std::printf("input:");
    for (unsigned char c : input) std::printf(" %02x", c);
    std::printf("\n");
  }
  CHECK(good);
}

}  // namespace polymargin::test
