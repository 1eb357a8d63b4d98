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
  // `groups`: of OneVsRest, how many.
  template <class... Counts>
  PyBinaryProblems(const PyRows<Real>& rows, Input<std::int32_t> labels, Input<double> loss_weights,
                   const MachineAxes& machine, const std::string& restricted, double tolerance,
                   bool by_violation, std::uint64_t seed, int threads, int classes,
                   Counts... groups)
      : rows_(rows) {
    const std::size_t size = std::size_t(rows.rows->size());
    check_labels(labels, loss_weights, size, 0, classes);
    driver_ = std::make_unique<Problems>(
        rows.rows, std::vector<std::int32_t>(labels.data(), labels.data() + size),
        std::vector<Real>(loss_weights.data(), loss_weights.data() + size), classes, groups...,
        make_machine<Real>(machine, restricted, 0), Tolerance{tolerance, by_violation}, seed,
        threads);
    for (const auto& binary : driver_->problems()) {
      check_lengths(binary.driver->examples());
      columns_ += binary.columns;
    }
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

  // How many columns a visit of a row has, at most.
  int columns_of_visit() const {
    int most = 0;
    for (const auto& binary : driver_->problems()) most = std::max(most, binary.columns);
    return most;
  }

  // The dual variables as CSR, a column for each binary problem: (indptr, columns, values).
  nb::tuple duals() {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> columns;
    std::vector<Real> values;
    for (std::int64_t i = 0; i < driver_->examples(); ++i) {
      driver_->for_each_problem(i, [&](auto& binary, std::int64_t first, std::int32_t row) {
        binary.driver->blocks().for_each(row, [&](std::int32_t m, Real u) {
          columns.push_back(std::int32_t(first) + m);
          values.push_back(u);
        });
      });
      starts.push_back(std::int64_t(values.size()));
    }
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)),
                          to_numpy(std::move(values)));
  }

  void set_duals(Input<std::int64_t> starts, Input<std::int32_t> columns, Input<double> values) {
    check_dual_blocks<Real>(starts, columns, values, driver_->examples(), columns_);
    std::vector<typename DualBlocks<Real>::Entry> entries;
    for (std::int64_t i = 0; i < driver_->examples(); ++i) {
      std::int64_t at = starts.data()[i];
      const std::int64_t end = starts.data()[i + 1];
      driver_->for_each_problem(i, [&](auto& binary, std::int64_t first, std::int32_t row) {
        while (at < end && columns.data()[at] < first) ++at;
        entries.clear();
        for (; at < end && columns.data()[at] < first + binary.columns; ++at)
          entries.push_back({std::int32_t(columns.data()[at] - first), Real(values.data()[at])});
        if (!entries.empty()) binary.driver->blocks().set(row, entries);
      });
    }
    driver_->rebuild_weights();
  }

  // A copy of W, of shape (features, columns).
  nb::object weights() {
    const std::int64_t features = rows_.rows->features();
    AlignedArray<Real> copy(std::size_t(features) * std::size_t(columns_));
    Real* to = copy.data();
    for_each_column([&](auto& weights, int m) {
      for (std::int64_t f = 0; f < features; ++f) *to++ = weights.of_feature(f)[m];
    });
    return to_matrix(std::move(copy), features, columns_, true);
  }

  void set_weights(nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> values) {
    const std::int64_t features = rows_.rows->features();
    if (values.shape(0) != std::size_t(features) || values.shape(1) != std::size_t(columns_))
      throw std::invalid_argument("weights must have the shape (features, columns)");
    const Real* from = values.data();
    for_each_column([&](auto& weights, int m) {
      for (std::int64_t f = 0; f < features; ++f) weights.of_feature(f)[m] = from[f * columns_];
      ++from;
    });
  }

  nb::object release_weights() {
    nb::object released = weights();
    driver_.reset();
    return released;
  }

 private:
  // Calls f(weights of a problem, class of it) for all columns, in order.
  template <class F>
  void for_each_column(F&& f) {
    for (auto& binary : driver_->problems())
      for (int m = 0; m < binary.columns; ++m) f(binary.driver->weights(), m);
  }

  PyRows<Real> rows_;
  std::unique_ptr<Problems> driver_;
  std::int64_t columns_ = 0;
};

// `groups`: nothing, or the type and the name of one more number.
template <class Real, class Problems, class... Counts>
static void bind(nb::module_& m, const char* name, const auto&... groups) {
  using Driver = PyBinaryProblems<Real, Problems>;
  nb::class_<Driver>(m, name)
      .def(nb::init<const PyRows<Real>&, Input<std::int32_t>, Input<double>, const MachineAxes&,
                    const std::string&, double, bool, std::uint64_t, int, int, Counts...>(),
           "rows"_a, "labels"_a, "loss_weights"_a, "machine"_a, "restricted"_a, "tolerance"_a,
           "by_violation"_a, "seed"_a, "threads"_a, "classes"_a, groups...)
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
      .def_prop_ro("columns_of_visit", &Driver::columns_of_visit)
      .def_prop_ro("interrupted", [](const Driver& driver) { return driver.interrupted(); });
}

void bind_binary_problems(nb::module_& m) {
  bind<float, OneVsOne<float>>(m, "OneVsOne32");
  bind<double, OneVsOne<double>>(m, "OneVsOne64");
  bind<float, OneVsRest<float>, int>(m, "OneVsRest32", "groups"_a);
  bind<double, OneVsRest<double>, int>(m, "OneVsRest64", "groups"_a);
}

}  // namespace polymargin::bindings
