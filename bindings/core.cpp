#include "core.hpp"

#include "base/memory_errors.hpp"
#include "polymargin/base/simd.hpp"

NB_MODULE(POLYMARGIN_MODULE, m) {
  // What a thread still holds when the interpreter exits, after Ctrl-C for instance, is no fault
  // that a user could do anything about.
  nanobind::set_leak_warnings(false);
  polymargin::bindings::register_memory_errors();
  m.attr("instruction_set") = POLYMARGIN_INSTRUCTION_SET;
  m.attr("vector_bytes") = polymargin::kNativeBytes;
#if defined(__clang__)
  m.attr("compiler") = "clang " __clang_version__;
#elif defined(__GNUC__)
  m.attr("compiler") = "gcc " __VERSION__;
#else
  m.attr("compiler") = "unknown";
#endif
  polymargin::bindings::bind_report(m);
  polymargin::bindings::bind_rows(m);
  polymargin::bindings::bind_products(m);
  polymargin::bindings::bind_candidates(m);
  polymargin::bindings::bind_machines(m);
  polymargin::bindings::bind_sequential(m);
  polymargin::bindings::bind_binary_problems(m);
  polymargin::bindings::bind_newton(m);
  polymargin::bindings::bind_coordinate_descent(m);
  polymargin::bindings::bind_kernels(m);
  polymargin::bindings::bind_working_sets(m);
  polymargin::bindings::bind_separate_problems(m);
  polymargin::bindings::bind_two_variable(m);
  polymargin::bindings::bind_online(m);
}
