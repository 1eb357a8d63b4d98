// Which of the compiled instruction sets this processor has. Built for the baseline only.
#include "polymargin/base/cpu.hpp"

namespace polymargin {

std::vector<std::string> supported_instruction_sets() {
  std::vector<std::string> sets{"generic"};
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back("avx2");
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
      sets.push_back("avx512");
  }
#endif
  return sets;
}

}  // namespace polymargin
