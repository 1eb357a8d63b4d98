// The sequential driver as a Python object: one epoch, one certificate at a time. What happens
// between epochs (stopping, progress, history) is Python.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <stdexcept>

#include "core.hpp"
#include "polymargin/certify/gap.hpp"
#include "polymargin/driver/adaptive.hpp"
#include "polymargin/driver/max_violation.hpp"
#include "polymargin/driver/random_draws.hpp"
#include "polymargin/driver/shrinking.hpp"
#include "polymargin/machine/catalog.hpp"
#include "rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace polymargin::bindings {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A NumPy array that owns a copy of `values`.
template <class T>
static nb::object to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

template <class Real>
class PySequential {
 public:
  PySequential(const PyRows<Real>& rows, Input<std::int32_t> labels, Input<double> caps,
               int classes, const std::string& machine, const std::string& loss,
               const std::string& restricted, double tau, std::uint64_t seed, int threads)
      : rows_(rows), threads_(threads) {
    const std::size_t size = std::size_t(rows.rows->size());
    if (size > std::size_t(std::numeric_limits<std::int32_t>::max()))
      throw std::invalid_argument("X has more than 2^31 - 1 rows; train on fewer or stream them");
    if (labels.shape(0) != size || caps.shape(0) != size)
      throw std::invalid_argument("labels and caps must have one entry per row");
    std::vector<Example<Real>> examples(size);
    for (std::size_t i = 0; i < size; ++i) {
      // -1: an example of the class that a binary one-vs-rest problem leaves out.
      if (labels.data()[i] < (machine == "ovr" ? -1 : 0) || labels.data()[i] >= classes)
        throw std::invalid_argument("a label is out of range");
      examples[i].label = labels.data()[i];
      examples[i].cap = Real(caps.data()[i]);
    }
    driver_ = std::make_unique<Sequential<Real>>(rows.rows, std::move(examples), classes,
                                                 make_machine<Real>(machine, loss, restricted, tau),
                                                 seed);
  }

  void set_schedule(const std::string& order, bool shrinking, bool cooling, double epsilon) {
    std::vector<std::int32_t> examples = driver_->visited();
    const std::int64_t total = driver_->rows().size();
    std::unique_ptr<Schedule> schedule;
    if (order == "acf")
      schedule = std::make_unique<AdaptiveSchedule>(std::move(examples), total);
    else if (order == "max_violation")
      schedule = std::make_unique<MaxViolationSchedule>(std::move(examples));
    else if (order == "random")
      schedule = std::make_unique<RandomDrawsSchedule>(std::move(examples));
    else if (shrinking)
      schedule = std::make_unique<ShrinkingSchedule>(std::move(examples), epsilon, cooling);
    else
      schedule = std::make_unique<PermutedSchedule>(std::move(examples));
    driver_->set_schedule(std::move(schedule));
    driver_->set_class_shrinking(order == "acf" && shrinking);
  }

  // Without the GIL; `seconds` bounds the time of the epoch, and a pending signal ends it.
  nb::dict epoch(double seconds) {
    EpochReport report;
    {
      nb::gil_scoped_release released;
      const auto start = std::chrono::steady_clock::now();
      report = driver_->epoch([&] {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        return passed.count() > seconds || signalled();
      });
    }
    // An epoch may be too short to be polled.
    report.stopped |= signalled();
    nb::dict result;
    result["visits"] = report.visits;
    result["moves"] = report.moves;
    result["violation"] = report.violation;
    result["dual"] = report.dual;
    result["primal_estimate"] = report.half_norm + report.loss_sum;
    result["stopped"] = report.stopped;
    return result;
  }

  void rebuild() {
    nb::gil_scoped_release released;
    driver_->rebuild_weights();
  }

  // (primal, dual, violation), or None if a signal came in between.
  nb::object certify() {
    Certificate certificate;
    {
      nb::gil_scoped_release released;
      driver_->rebuild_weights();
      certificate = polymargin::certify(*driver_, threads_, [&] { return signalled(); });
    }
    if (!certificate.complete) return nb::none();
    return nb::make_tuple(certificate.primal, certificate.dual, certificate.violation);
  }

  // The dual blocks as CSR: (indptr, classes, values).
  nb::tuple duals() {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> classes;
    std::vector<Real> values;
    auto& blocks = driver_->blocks();
    for (std::int64_t i = 0; i < blocks.examples(); ++i) {
      blocks.for_each(i, [&](std::int32_t m, Real u) {
        classes.push_back(m);
        values.push_back(u);
      });
      starts.push_back(std::int64_t(values.size()));
    }
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(classes)),
                          to_numpy(std::move(values)));
  }

  void set_duals(Input<std::int64_t> starts, Input<std::int32_t> classes, Input<double> values) {
    auto& blocks = driver_->blocks();
    if (starts.shape(0) != std::size_t(blocks.examples()) + 1)
      throw std::invalid_argument("dual variables must have one block per row");
    std::vector<typename DualBlocks<Real>::Entry> entries;
    for (std::int32_t i : driver_->visited()) {
      entries.clear();
      for (std::int64_t p = starts.data()[i]; p < starts.data()[i + 1]; ++p)
        if (values.data()[p] != 0) entries.push_back({classes.data()[p], Real(values.data()[p])});
      blocks.set(i, entries);
    }
    driver_->rebuild_weights();
  }

  // A copy of W, of shape (features, classes).
  nb::object weights() {
    const auto& w = driver_->weights();
    const std::size_t classes = std::size_t(w.layout().classes);
    AlignedArray<Real> copy(std::size_t(w.features()) * classes);
    for (std::int64_t f = 0; f < w.features(); ++f)
      std::copy_n(w.of_feature(f), classes, copy.data() + f * classes);
    return to_matrix(std::move(copy), w.features(), classes);
  }

  // W itself, without a copy; the driver is of no use afterwards.
  nb::object release_weights() {
    const std::size_t classes = std::size_t(driver_->weights().layout().classes);
    const std::int64_t features = driver_->weights().features();
    AlignedArray<Real> values = driver_->weights().release();
    driver_.reset();
    return to_matrix(std::move(values), features, classes);
  }

  void set_weights(nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> values) {
    auto& w = driver_->weights();
    const std::size_t classes = std::size_t(w.layout().classes);
    if (values.shape(0) != std::size_t(w.features()) || values.shape(1) != classes)
      throw std::invalid_argument("weights must have the shape (features, classes)");
    for (std::int64_t f = 0; f < w.features(); ++f)
      std::copy_n(values.data() + f * classes, classes, w.of_feature(f));
  }

  bool interrupted() const { return interrupted_; }

 private:
  // The handler of a signal raised (KeyboardInterrupt, usually): the caller raises it again.
  bool signalled() {
    nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() == 0) return false;
    PyErr_Clear();
    interrupted_ = true;
    return true;
  }

  static nb::object to_matrix(AlignedArray<Real> values, std::int64_t rows, std::size_t columns) {
    auto* owned = new AlignedArray<Real>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<AlignedArray<Real>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, Real, nb::ndim<2>>(owned->data(),
                                                              {std::size_t(rows), columns}, owner));
  }

  PyRows<Real> rows_;
  int threads_;
  std::unique_ptr<Sequential<Real>> driver_;
  bool interrupted_ = false;
};

template <class Real>
static void bind(nb::module_& m, const char* name) {
  using Driver = PySequential<Real>;
  nb::class_<Driver>(m, name)
      .def(
          nb::init<const PyRows<Real>&, Input<std::int32_t>, Input<double>, int, const std::string&,
                   const std::string&, const std::string&, double, std::uint64_t, int>(),
          "rows"_a, "labels"_a, "caps"_a, "classes"_a, "machine"_a, "loss"_a, "restricted"_a,
          "tau"_a, "seed"_a, "threads"_a)
      .def("set_schedule", &Driver::set_schedule, "order"_a, "shrinking"_a, "cooling"_a,
           "epsilon"_a)
      .def("epoch", &Driver::epoch, "seconds"_a)
      .def("rebuild", &Driver::rebuild)
      .def("certify", &Driver::certify)
      .def("duals", &Driver::duals)
      .def("set_duals", &Driver::set_duals, "indptr"_a, "classes"_a, "values"_a)
      .def("weights", &Driver::weights)
      .def("release_weights", &Driver::release_weights)
      .def("set_weights", &Driver::set_weights, "weights"_a)
      .def_prop_ro("interrupted", &Driver::interrupted);
}

void bind_sequential(nb::module_& m) {
  bind<float>(m, "Sequential32");
  bind<double>(m, "Sequential64");
}

}  // namespace polymargin::bindings
