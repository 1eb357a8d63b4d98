// One function per family; core.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace polymargin::bindings {

void bind_report(nanobind::module_& m);
void bind_rows(nanobind::module_& m);
void bind_products(nanobind::module_& m);
void bind_candidates(nanobind::module_& m);
void bind_machines(nanobind::module_& m);
void bind_sequential(nanobind::module_& m);
void bind_binary_problems(nanobind::module_& m);
void bind_newton(nanobind::module_& m);
void bind_coordinate_descent(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_working_sets(nanobind::module_& m);
void bind_separate_problems(nanobind::module_& m);
void bind_two_variable(nanobind::module_& m);
void bind_online(nanobind::module_& m);

}  // namespace polymargin::bindings
