// The machines of DESIGN.md, section 2, as points on their axes.
#pragma once

#include <stdexcept>
#include <string_view>

#include "polymargin/machine/make_machine.hpp"

namespace polymargin::test {

struct NamedAxes {
  std::string_view name, margin, variables, aggregation;
  bool sums_to_zero;
};
inline constexpr NamedAxes kNamedAxes[] = {
    {"cs", "relative", "others", "max", false},     {"ww", "relative", "others", "sum", false},
    {"llw", "absolute", "others", "sum", true},     {"ovr", "absolute", "all", "sum", false},
    {"maxent", "relative", "others", "sum", false}, {"adm", "absolute", "others", "max", true},
    {"ats", "absolute", "all", "sum", true},        {"atm", "absolute", "all", "max", true},
    {"mmr", "absolute", "label", "sum", true},      {"rm", "absolute", "all", "sum", true}};

// For blocks of so many classes, on which targets depend.
inline MachineAxes axes_of(std::string_view name, std::string_view loss, int classes) {
  for (const NamedAxes& named : kNamedAxes) {
    if (named.name != name) continue;
    const double share = 1.0 / (classes - 1);
    const double other = name == "llw" || name == "adm" ? share : 1;
    const double label = name == "rm" ? classes - 1 : other;
    return {std::string(named.margin),
            std::string(named.variables),
            std::string(named.aggregation),
            named.sums_to_zero,
            std::string(loss),
            label,
            other};
  }
  throw std::invalid_argument("no machine " + std::string(name));
}

template <class Real>
std::shared_ptr<const Machine<Real>> machine_of(std::string_view name, std::string_view loss,
                                                int classes, std::string_view restricted = "exact",
                                                double tau = 0) {
  return make_machine<Real>(axes_of(name, loss, classes), std::string(restricted), tau);
}

}  // namespace polymargin::test
