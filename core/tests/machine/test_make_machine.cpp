#include <stdexcept>

#include "axes.hpp"
#include "check.hpp"

namespace polymargin::test::test_make_machine {

template <class Real>
bool exists(const char* machine, const char* loss, const char* restricted) {
  try {
    return machine_of<Real>(machine, loss, 4, restricted, 1e-3) != nullptr;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

template <class Real>
void check_combinations() {
  for (const char* restricted :
       {"exact", "sort", "pivot", "bisection", "bisection_printed", "fixed_point", "active_set",
        "smo", "frank_wolfe", "exponentiated_gradient"})
    CHECK(exists<Real>("cs", "hinge", restricted));
  for (const char* restricted : {"exact", "active_set"}) {
    CHECK(exists<Real>("cs", "squared_hinge", restricted));
    for (const char* machine : {"ww", "llw", "ovr"}) {
      CHECK(exists<Real>(machine, "hinge", restricted));
      CHECK(exists<Real>(machine, "squared_hinge", restricted));
    }
  }
  for (const char* machine : {"ww", "llw", "ovr"}) {
    CHECK(!exists<Real>(machine, "hinge", "sort"));
    CHECK(!exists<Real>(machine, "hinge", "bisection_printed"));
    CHECK(!exists<Real>(machine, "squared_hinge", "smo"));
    CHECK(!exists<Real>(machine, "hinge", "none"));
    CHECK(!exists<Real>(machine, "absolute", "exact"));
  }
  CHECK(exists<Real>("ovr", "logistic", "exact"));
  CHECK(exists<Real>("maxent", "log", "exact"));
  CHECK(!exists<Real>("ovr", "logistic", "active_set"));
  CHECK(!exists<Real>("maxent", "log", "sort"));
  CHECK(!exists<Real>("ww", "logistic", "exact"));
  CHECK(!exists<Real>("cs", "log", "exact"));
  CHECK(!exists<Real>("cs", "squared_hinge", "smo"));
  CHECK(!exists<Real>("cs", "hinge", "none"));
  CHECK(!exists<Real>("cs", "absolute", "exact"));
  CHECK(!exists<Real>("", "hinge", "exact"));
}

void run_tests() {
  check_combinations<float>();
  check_combinations<double>();
}

}  // namespace polymargin::test::test_make_machine
