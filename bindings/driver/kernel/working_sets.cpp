// Training by working sets as a Python object: Python computes the kernel rows between its steps.
#include "polymargin/driver/kernel/working_sets.hpp"

#include "core.hpp"
#include "driver/kernel/kernel_driver.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

template <class Real>
class PyWorkingSets : public PyKernelDriver<Real, ScoresByClass<Real>> {
 public:
  PyWorkingSets(Input<Real> diagonal, Input<std::int32_t> labels, Input<double> loss_weights,
                int classes, const MachineAxes& machine, double cache_bytes, double working_bytes,
                std::uint64_t seed, int threads)
      : PyKernelDriver<Real, ScoresByClass<Real>>(diagonal, labels, loss_weights, classes, machine,
                                                  cache_bytes, threads),
        solver_(*this->problem_, seed, working_bytes / sizeof(Real)) {}

  nb::object select(std::int64_t size, std::int64_t fresh) {
    std::vector<std::int32_t> working;
    {
      nb::gil_scoped_release released;
      working = solver_.select(size, fresh);
    }
    return to_numpy(std::move(working));
  }

  bool shrink() {
    nb::gil_scoped_release released;
    return solver_.shrink();
  }

  EpochReport solve(Examples working, double accuracy, double seconds) {
    this->check_range(working);
    return this->run_epoch(seconds, [&](const auto& poll) {
      EpochReport report;
      const std::int64_t visits = solver_.visits(), moves = solver_.moves();
      report.stopped = solver_.solve({working.data(), working.shape(0)}, accuracy, poll);
      report.visits = solver_.visits() - visits;
      report.moves = solver_.moves() - moves;
      report.violation = solver_.violation();
      report.loss_sum = solver_.loss_sum();
      report.dual = this->problem_->dual();
      report.half_norm = this->problem_->half_norm();
      return report;
    });
  }

  nb::tuple state() const {
    return nb::make_tuple(this->problem_->half_norm() + solver_.loss_sum(), this->problem_->dual(),
                          solver_.violation());
  }

 private:
  WorkingSets<Real> solver_;
};

template <class Real>
static void bind(nb::module_& m, const char* name) {
  using Driver = PyWorkingSets<Real>;
  nb::class_<Driver>(m, name)
      .def(nb::init<Input<Real>, Input<std::int32_t>, Input<double>, int, const MachineAxes&,
                    double, double, std::uint64_t, int>(),
           "diagonal"_a, "labels"_a, "loss_weights"_a, "classes"_a, "machine"_a, "cache_bytes"_a,
           "working_bytes"_a, "seed"_a, "threads"_a)
      .def("select", &Driver::select, "size"_a, "fresh"_a)
      .def("shrink", &Driver::shrink)
      .def("reserve", &Driver::reserve, "examples"_a)
      .def("forget", &Driver::forget, "examples"_a)
      .def("fill", &Driver::fill, "examples"_a, "first"_a, "tile"_a)
      .def("solve", &Driver::solve, "working"_a, "accuracy"_a, "seconds"_a)
      .def("state", &Driver::state)
      .def("support", &Driver::support)
      .def("restore_columns", &Driver::restore_columns)
      .def("clear_scores", &Driver::clear_scores)
      .def("add_blocks", &Driver::add_blocks, "examples"_a)
      .def("certify", &Driver::certify)
      .def("duals", &Driver::duals)
      .def("set_duals", &Driver::set_duals, "indptr"_a, "classes"_a, "values"_a)
      .def_prop_ro("columns", &Driver::columns)
      .def_prop_ro("capacity", &Driver::capacity)
      .def_prop_ro("cached", &Driver::cached)
      .def_prop_ro("interrupted", [](const Driver& driver) { return driver.interrupted(); });
}

void bind_working_sets(nb::module_& m) {
  bind<float>(m, "WorkingSets32");
  bind<double>(m, "WorkingSets64");
}

}  // namespace polymargin::bindings
