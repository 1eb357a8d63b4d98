// What a driver says after an epoch, with the attributes of polymargin.driver.protocol.EpochReport.
#include "polymargin/driver/report.hpp"

#include <nanobind/nanobind.h>

#include "core.hpp"

namespace polymargin::bindings {

namespace nb = nanobind;

void bind_report(nb::module_& m) {
  nb::class_<EpochReport>(m, "EpochReport")
      .def_ro("visits", &EpochReport::visits)
      .def_ro("moves", &EpochReport::moves)
      .def_ro("evaluations", &EpochReport::evaluations)
      .def_ro("violation", &EpochReport::violation)
      .def_ro("dual", &EpochReport::dual)
      .def_prop_ro("primal_estimate",
                   [](const EpochReport& report) { return report.half_norm + report.loss_sum; })
      .def_ro("stopped", &EpochReport::stopped)
      .def_ro("epochs", &EpochReport::epochs);
}

}  // namespace polymargin::bindings
