// CPU dispatch. The whole core is compiled once per instruction set into a library of its own, and
// the caller loads the best one this processor has: no symbol of one build can end up in another.
#pragma once

#include <string>
#include <vector>

namespace polymargin {

// In ascending order of speed: "generic", "avx2", "avx512".
std::vector<std::string> supported_instruction_sets();

}  // namespace polymargin
