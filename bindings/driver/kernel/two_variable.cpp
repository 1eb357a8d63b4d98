// Decomposition with one or two variables as a Python object. Kernel rows come from a Python
// function, which is called in the middle of an epoch.
#include "polymargin/driver/kernel/two_variable.hpp"

#include "core.hpp"
#include "driver/kernel/kernel_driver.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

template <class Real>
class PyTwoVariable : public PyKernelDriver<Real, ScoresByExample<Real>> {
 public:
  using Base = PyKernelDriver<Real, ScoresByExample<Real>>;

  // rows(examples, columns, first, last) returns the kernel of some examples with those in
  // columns[first:last].
  PyTwoVariable(Input<Real> diagonal, Input<std::int32_t> labels, Input<double> loss_weights,
                int classes, const MachineAxes& machine, double cache_bytes, int threads,
                int working_set, bool shrinking, double accuracy, nb::callable rows)
      : Base(diagonal, labels, loss_weights, classes, machine, cache_bytes, threads),
        solver_(*this->problem_, make_selection<Real>(*this->problem_, machine, working_set == 1),
                source(*this->problem_, std::move(rows)), {working_set, shrinking, accuracy}) {}

  EpochReport epoch(double seconds) {
    return this->run_epoch(seconds, [&](const auto& poll) { return solver_.epoch(poll); });
  }

  void rebuild() {
    nb::gil_scoped_release released;
    solver_.rebuild([] { return false; });
  }

  nb::object certify() {
    return this->certificate([&](const auto& poll) { return solver_.certify(poll); });
  }

  void set_duals(Input<std::int64_t> starts, Input<std::int32_t> classes, Input<double> values) {
    Base::set_duals(starts, classes, values);
    solver_.forget_scores();
  }

  std::int64_t active() const { return solver_.active(); }
  std::int64_t kernel_evaluations() const { return solver_.kernel_evaluations(); }

 private:
  using Tile = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  // Calls Python, which needs the GIL for that and no longer. The array of the columns is the same
  // object as long as they are in the same order.
  static typename KernelRowsOnDemand<Real>::Source source(const Decomposition<Real>& problem,
                                                          nb::callable rows) {
    return [&problem, rows = std::move(rows), columns = nb::object(), order = std::int64_t(-1)](
               std::span<const std::int32_t> examples, std::int64_t first, std::int64_t last,
               Real* values) mutable {
      nb::gil_scoped_acquire acquired;
      if (order != problem.orders()) {
        columns = to_numpy(problem.columns());
        order = problem.orders();
      }
      const nb::object made =
          rows(to_numpy(std::vector<std::int32_t>(examples.begin(), examples.end())), columns,
               first, last);
      const Tile tile = nb::cast<Tile>(made);
      if (tile.shape(0) != examples.size() || std::int64_t(tile.shape(1)) != last - first)
        throw std::invalid_argument("kernel rows have the wrong shape");
      std::copy_n(tile.data(), tile.size(), values);
    };
  }

  TwoVariable<Real> solver_;
};

template <class Real>
static void bind(nb::module_& m, const char* name) {
  using Driver = PyTwoVariable<Real>;
  nb::class_<Driver>(m, name)
      .def(nb::init<Input<Real>, Input<std::int32_t>, Input<double>, int, const MachineAxes&,
                    double, int, int, bool, double, nb::callable>(),
           "diagonal"_a, "labels"_a, "loss_weights"_a, "classes"_a, "machine"_a, "cache_bytes"_a,
           "threads"_a, "working_set"_a, "shrinking"_a, "accuracy"_a, "rows"_a)
      .def("epoch", &Driver::epoch, "seconds"_a)
      .def("rebuild", &Driver::rebuild)
      .def("certify", &Driver::certify)
      .def("duals", &Driver::duals)
      .def("set_duals", &Driver::set_duals, "indptr"_a, "classes"_a, "values"_a)
      .def_prop_ro("columns", &Driver::columns)
      .def_prop_ro("active", &Driver::active)
      .def_prop_ro("kernel_evaluations", &Driver::kernel_evaluations)
      .def_prop_ro("capacity", &Driver::capacity)
      .def_prop_ro("cached", &Driver::cached)
      .def_prop_ro("interrupted", [](const Driver& driver) { return driver.interrupted(); });
}

void bind_two_variable(nb::module_& m) {
  bind<float>(m, "TwoVariable32");
  bind<double>(m, "TwoVariable64");
}

}  // namespace polymargin::bindings
