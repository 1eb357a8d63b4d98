// The axes of a machine as a Python object.
#include "polymargin/machine/axes.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "core.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace polymargin::bindings {

using PairTargets = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_machines(nb::module_& m) {
  nb::class_<MachineAxes>(m, "MachineAxes")
      .def(
          "__init__",
          [](MachineAxes* axes, const std::string& margin, const std::string& variables,
             const std::string& aggregation, bool sums_to_zero, const std::string& loss,
             double label_target, double other_target, const PairTargets& pair_targets) {
            new (axes) MachineAxes{
                margin,       variables,
                aggregation,  sums_to_zero,
                loss,         label_target,
                other_target, {pair_targets.data(), pair_targets.data() + pair_targets.size()}};
          },
          "margin"_a, "variables"_a, "aggregation"_a, "sums_to_zero"_a, "loss"_a, "label_target"_a,
          "other_target"_a, "pair_targets"_a)
      .def_ro("margin", &MachineAxes::margin)
      .def_ro("variables", &MachineAxes::variables)
      .def_ro("aggregation", &MachineAxes::aggregation)
      .def_ro("sums_to_zero", &MachineAxes::sums_to_zero)
      .def_ro("loss", &MachineAxes::loss)
      .def_ro("label_target", &MachineAxes::label_target)
      .def_ro("other_target", &MachineAxes::other_target);
}

}  // namespace polymargin::bindings
