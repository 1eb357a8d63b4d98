// The drivers of separate binary problems as Python objects, with the interface of the sequential
// one.
#include <nanobind/stl/string.h>

#include "access/rows.hpp"
#include "core.hpp"
#include "driver/dual_blocks.hpp"
#include "driver/labels.hpp"
#include "polymargin/driver/linear/make_schedule.hpp"
#include "polymargin/driver/linear/one_vs_one.hpp"
#include "polymargin/driver/linear/one_vs_rest.hpp"
#include "polymargin/machine/make_machine.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

// `Problems` is OneVsOne or OneVsRest.
template <class Real, class Problems>
class PyBinaryProblems : public Interruptible {
 public:
  PyBinaryProblems(const PyRows<Real>& rows, Input<std::int32_t> labels, Input<double> loss_weights,
                   int classes, const MachineAxes& machine, const std::string& restricted,
                   double tolerance, bool by_violation, std::uint64_t seed, int threads)
      : rows_(rows) {
    const std::size_t size = std::size_t(rows.rows->size());
    check_labels(labels, loss_weights, size, 0, classes);
    driver_ = std::make_unique<Problems>(
        rows.rows, std::vector<std::int32_t>(labels.data(), labels.data() + size),
        std::vector<Real>(loss_weights.data(), loss_weights.data() + size), classes,
        make_machine<Real>(machine, restricted, 0), Tolerance{tolerance, by_violation}, seed,
        threads);
    for (const auto& binary : driver_->problems()) check_lengths(binary.driver->examples());
  }

  void set_schedule(const std::string& order, bool shrinking, bool cooling, double epsilon) {
    for (auto& binary : driver_->problems())
      polymargin::set_schedule(*binary.driver, {order, shrinking, cooling, epsilon});
  }

  EpochReport epoch(double seconds) {
    return run_epoch(seconds, [&](const auto& poll) { return driver_->epoch(poll); });
  }

  void rebuild() {
    nb::gil_scoped_release released;
    driver_->rebuild_weights();
  }

  nb::object certify() {
    return certificate([&](const auto& poll) { return driver_->certify(poll); });
  }

  // The dual variables as CSR, a column for each problem: (indptr, problems, values).
  nb::tuple duals() {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<Real> values;
    for (std::int64_t i = 0; i < driver_->examples(); ++i) {
      driver_->for_each_problem(i, [&](auto& binary, std::int64_t p, std::int32_t row) {
        binary.driver->blocks().for_each(row, [&](std::int32_t, Real u) {
          columns.push_back(std::int32_t(p));
          values.push_back(u);
        });
      });
      starts.push_back(std::int64_t(values.size()));
    }
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)),
                          to_numpy(std::move(values)));
  }

  void set_duals(Input<std::int64_t> starts, Input<std::int32_t> columns, Input<double> values) {
    check_dual_blocks<Real>(starts, columns, values, driver_->examples(),
                            std::int64_t(driver_->problems().size()));
    for (std::int64_t i = 0; i < driver_->examples(); ++i) {
      std::int64_t at = starts.data()[i];
      const std::int64_t end = starts.data()[i + 1];
      driver_->for_each_problem(i, [&](auto& binary, std::int64_t p, std::int32_t row) {
        while (at < end && columns.data()[at] < p) ++at;
        if (at < end && columns.data()[at] == p)
          binary.driver->blocks().set(row, {{0, Real(values.data()[at])}});
      });
    }
    driver_->rebuild_weights();
  }

  // A copy of W, of shape (features, problems).
  nb::object weights() {
    auto& problems = driver_->problems();
    const std::int64_t features = rows_.rows->features();
    AlignedArray<Real> copy(std::size_t(features) * problems.size());
    for (std::size_t p = 0; p < problems.size(); ++p)
      std::copy_n(problems[p].driver->weights().of_feature(0), features,
                  copy.data() + p * features);
    return to_matrix(std::move(copy), features, std::int64_t(problems.size()), true);
  }

  void set_weights(nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> values) {
    auto& problems = driver_->problems();
    const std::int64_t features = rows_.rows->features();
    if (values.shape(0) != std::size_t(features) || values.shape(1) != problems.size())
      throw std::invalid_argument("weights must have the shape (features, problems)");
    for (std::size_t p = 0; p < problems.size(); ++p)
      for (std::int64_t f = 0; f < features; ++f)
        *problems[p].driver->weights().of_feature(f) = values.data()[f * problems.size() + p];
  }

  nb::object release_weights() {
    nb::object released = weights();
    driver_.reset();
    return released;
  }

 private:
  PyRows<Real> rows_;
  std::unique_ptr<Problems> driver_;
};

template <class Real, class Problems>
static void bind(nb::module_& m, const char* name) {
  using Driver = PyBinaryProblems<Real, Problems>;
  nb::class_<Driver>(m, name)
      .def(nb::init<const PyRows<Real>&, Input<std::int32_t>, Input<double>, int,
                    const MachineAxes&, const std::string&, double, bool, std::uint64_t, int>(),
           "rows"_a, "labels"_a, "loss_weights"_a, "classes"_a, "machine"_a, "restricted"_a,
           "tolerance"_a, "by_violation"_a, "seed"_a, "threads"_a)
      .def("set_schedule", &Driver::set_schedule, "order"_a, "shrinking"_a, "cooling"_a,
           "epsilon"_a)
      .def("epoch", &Driver::epoch, "seconds"_a)
      .def("rebuild", &Driver::rebuild)
      .def("certify", &Driver::certify)
      .def("duals", &Driver::duals)
      .def("set_duals", &Driver::set_duals, "indptr"_a, "columns"_a, "values"_a)
      .def("weights", &Driver::weights)
      .def("set_weights", &Driver::set_weights, "weights"_a)
      .def("release_weights", &Driver::release_weights)
      .def_prop_ro("interrupted", [](const Driver& driver) { return driver.interrupted(); });
}

void bind_binary_problems(nb::module_& m) {
  bind<float, OneVsOne<float>>(m, "OneVsOne32");
  bind<double, OneVsOne<double>>(m, "OneVsOne64");
  bind<float, OneVsRest<float>>(m, "OneVsRest32");
  bind<double, OneVsRest<double>>(m, "OneVsRest64");
}

}  // namespace polymargin::bindings
