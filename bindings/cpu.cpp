#include "polymargin/base/cpu.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

NB_MODULE(_cpu, m) {
  nanobind::set_leak_warnings(false);  // as in core.cpp
  m.def("supported_instruction_sets", &polymargin::supported_instruction_sets,
        "Instruction sets of this processor, in ascending order of speed.");
}
