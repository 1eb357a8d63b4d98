// The sequential driver as a Python object: one epoch, one certificate at a time. What happens
// between epochs (stopping, progress, history) is Python.
#include "polymargin/driver/linear/sequential.hpp"

#include <nanobind/stl/string.h>

#include <functional>
#include <limits>
#include <numeric>

#include "access/rows.hpp"
#include "core.hpp"
#include "driver/dual_blocks.hpp"
#include "driver/labels.hpp"
#include "polymargin/driver/linear/make_schedule.hpp"
#include "polymargin/machine/make_machine.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

// The pairs of features and classes that occur, in rows whose weight is not zero.
template <class Real>
static PackedWeights<Real> occurring_pairs(const Rows<Real>& rows,
                                           const std::vector<Example<Real>>& examples,
                                           const ClassLayout& layout) {
  PackedWeights<Real> weights(rows.features(), layout);
  for (std::size_t i = 0; i < examples.size(); ++i)
    if (examples[i].loss_weight > 0 && examples[i].label >= 0)
      for (std::int64_t feature : rows.features_of(std::int64_t(i)))
        weights.add_pair(feature, examples[i].label);
  weights.pack();
  return weights;
}

// All classes, each of them once.
static std::vector<std::int32_t> checked_order(const Input<std::int32_t>& order) {
  const std::size_t classes = order.shape(0);
  std::vector<bool> seen(classes);
  for (std::size_t p = 0; p < classes; ++p) {
    const std::int32_t m = order.data()[p];
    if (m < 0 || std::size_t(m) >= classes || seen[m])
      throw std::invalid_argument("the order must have every class once");
    seen[m] = true;
  }
  return {order.data(), order.data() + classes};
}

// The tiles of classes that each row sees.
static std::vector<std::int32_t> checked_tiles(const Input<std::int32_t>& tiles, std::int64_t rows,
                                               const ClassLayout& layout, std::int64_t classes) {
  const std::int64_t count = (layout.classes + kTileClasses - 1) / kTileClasses;
  const std::int64_t all = (classes + kTileClasses - 1) / kTileClasses;
  bool right = std::int64_t(tiles.shape(0)) == rows * count && layout.classes <= classes;
  for (std::int64_t p = 0; right && p < rows * count; ++p)
    right =
        (p % count == 0 ? 0 : tiles.data()[p - 1] + 1) <= tiles.data()[p] && tiles.data()[p] < all;
  if (!right) throw std::invalid_argument("tiles of rows must ascend and be as many for each");
  return {tiles.data(), tiles.data() + tiles.shape(0)};
}

template <class Real, class W>
class PySequential : public Interruptible {
 public:
  using MakeWeights = std::function<std::shared_ptr<W>(
      const Rows<Real>&, const std::vector<Example<Real>>&, const ClassLayout&)>;

  PySequential(const PyRows<Real>& rows, Input<std::int32_t> labels, Input<double> loss_weights,
               int classes, const MachineAxes& machine, const std::string& restricted,
               const RestrictedOptions& options, std::uint64_t seed, int threads, bool lists_blocks,
               const MakeWeights& make_weights)
      : rows_(rows), threads_(threads) {
    const std::size_t size = std::size_t(rows.rows->size());
    if (size > std::size_t(std::numeric_limits<std::int32_t>::max()))
      throw std::invalid_argument("X has more than 2^31 - 1 rows; train on fewer or stream them");
    check_labels(labels, loss_weights, size, machine.label_may_be_outside() ? -1 : 0, classes);
    std::vector<Example<Real>> examples(size);
    for (std::size_t i = 0; i < size; ++i) {
      examples[i].label = labels.data()[i];
      examples[i].loss_weight = Real(loss_weights.data()[i]);
    }
    std::shared_ptr<W> weights = make_weights(*rows.rows, examples, ClassLayout::of<Real>(classes));
    driver_ = std::make_unique<Sequential<Real, W>>(
        rows.rows, std::move(examples), make_machine<Real>(machine, restricted, options), seed,
        std::move(weights), lists_blocks);
    driver_->set_threads(threads);
    check_lengths(driver_->examples());
  }

  // The labels of rows that may have several of them, or none; `labels` were all -1.
  void set_label_sets(Input<std::int64_t> starts, Input<std::int32_t> classes) {
    const std::size_t size = driver_->examples().size(), count = classes.shape(0);
    const auto* first = starts.data();
    bool right = starts.shape(0) == size + 1 && first[0] == 0 && first[size] == std::int64_t(count);
    for (std::size_t i = 0; right && i < size; ++i) {
      right = first[i] <= first[i + 1] && first[i + 1] <= std::int64_t(count);
      for (std::int64_t p = first[i]; right && p < first[i + 1]; ++p)
        right = (p == first[i] ? 0 : classes.data()[p - 1] + 1) <= classes.data()[p] &&
                classes.data()[p] < driver_->layout().classes;
    }
    if (!right) throw std::invalid_argument("labels of rows must ascend and be classes");
    driver_->set_label_sets(std::make_shared<LabelSets>(
        std::vector<std::int64_t>(first, first + size + 1),
        std::vector<std::int32_t>(classes.data(), classes.data() + count)));
  }

  void set_schedule(const std::string& order, bool shrinking, bool cooling, double epsilon) {
    polymargin::set_schedule(*driver_, {order, shrinking, cooling, epsilon});
  }

  EpochReport epoch(double seconds, double share) {
    return run_epoch(seconds, [&](const auto& poll) { return driver_->epoch(poll, share); });
  }

  EpochReport round(double seconds) {
    return run_epoch(seconds, [&](const auto& poll) { return driver_->round(poll); });
  }

  void rebuild() {
    nb::gil_scoped_release released;
    driver_->rebuild_weights();
  }

  nb::object certify() {
    return certificate([&](const auto& poll) { return driver_->certify(threads_, poll); });
  }

  // The dual blocks as CSR: (indptr, classes, values).
  nb::tuple duals() {
    auto& blocks = driver_->blocks();
    std::vector<std::int64_t> starts(std::size_t(blocks.examples()) + 1);
    for (std::int64_t i = 0; i < blocks.examples(); ++i) {
      starts[i + 1] = starts[i];
      blocks.for_each(i, [&](std::int32_t, Real) { ++starts[i + 1]; });
    }
    std::vector<std::int32_t> classes;
    std::vector<Real> values;
    classes.reserve(std::size_t(starts.back()));  // not twice as much as is there
    values.reserve(std::size_t(starts.back()));
    for (std::int64_t i = 0; i < blocks.examples(); ++i)
      blocks.for_each(i, [&](std::int32_t m, Real u) {
        classes.push_back(m);
        values.push_back(u);
      });
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(classes)),
                          to_numpy(std::move(values)));
  }

  void set_scale(double scale) { driver_->set_scale(Real(scale)); }

  // (sum of C_i loss_i under W as it is, sum of the dual terms, largest violation) of these rows.
  nb::object partial_sums() {
    Tally tally;
    {
      nb::gil_scoped_release released;
      tally = driver_->measure(threads_, [&] { return signalled(); });
      tally.dual_terms = driver_->dual_terms();
    }
    if (!tally.complete) return nb::none();
    return nb::make_tuple(tally.losses, tally.dual_terms, tally.violation);
  }

  double dual_terms() { return driver_->dual_terms(); }

  void add_blocks() {
    nb::gil_scoped_release released;
    driver_->add_blocks();
  }

  // The weights of another driver, of other rows with the same features and classes.
  void share_weights(const PySequential& other) {
    driver_->share_weights(other.shared_weights(driver_->rows(), driver_->layout()));
  }

  double squared_norm() { return driver_->weights().squared_norm(); }

  // The loss of every row as last seen.
  auto losses() {
    std::vector<Real> losses;
    for (const Example<Real>& example : driver_->examples()) losses.push_back(example.loss);
    return to_numpy(std::move(losses));
  }

  void set_losses(Input<Real> losses) {
    if (losses.shape(0) != driver_->examples().size())
      throw std::invalid_argument("losses must have one entry per row");
    driver_->set_losses({losses.data(), losses.data() + losses.shape(0)});
  }

  auto schedule_memory() { return to_numpy(driver_->schedule_memory()); }

  void recall_schedule(Input<float> memory) {
    driver_->schedule().recall({memory.data(), memory.shape(0)});
  }

  // `rebuild`: W becomes that of these blocks. Not so where these rows are a part of all.
  void set_duals(Input<std::int64_t> starts, Input<std::int32_t> classes, Input<double> values,
                 bool rebuild) {
    auto& blocks = driver_->blocks();
    check_dual_blocks<Real>(starts, classes, values, blocks.examples(), driver_->layout().classes);
    std::vector<typename DualBlocks<Real>::Entry> entries;
    for (std::int32_t i : driver_->visited()) {
      entries.clear();
      for (std::int64_t p = starts.data()[i]; p < starts.data()[i + 1]; ++p)
        if (values.data()[p] != 0) entries.push_back({classes.data()[p], Real(values.data()[p])});
      blocks.set(i, entries);
    }
    if (rebuild) driver_->rebuild_weights();
  }

  // A copy of W, of shape (features, classes); a sparse one if some pairs have no weight.
  nb::object weights() {
    const auto& w = driver_->weights();
    if constexpr (!W::kWhole) {
      // By class, features ascending: as many of each as there are, and not twice the room.
      std::vector<std::int64_t> starts(std::size_t(w.columns()) + 1);
      w.for_each_pair([&](std::int64_t, std::int32_t label, Real) { ++starts[label + 1]; });
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
      std::vector<Real> values(std::size_t(starts.back()));
      std::vector<std::int32_t> features(values.size());
      std::vector<std::int64_t> next = starts;
      w.for_each_pair([&](std::int64_t feature, std::int32_t label, Real value) {
        features[next[label]] = std::int32_t(feature);
        values[next[label]++] = value;
      });
      const auto arrays = nb::make_tuple(to_numpy(std::move(values)), to_numpy(std::move(features)),
                                         to_numpy(std::move(starts)));
      return nb::module_::import_("scipy.sparse")
          .attr("csc_array")(arrays, "shape"_a = nb::make_tuple(w.features(), w.columns()));
    } else {
      const std::size_t classes = std::size_t(w.layout().classes);
      AlignedArray<Real> copy(std::size_t(w.features()) * classes);
      for (std::int64_t f = 0; f < w.features(); ++f)
        std::copy_n(w.of_feature(f), classes, copy.data() + f * classes);
      return to_matrix(std::move(copy), w.features(), std::int64_t(classes));
    }
  }

  // W itself, if possible without a copy; the driver is of no use afterwards.
  nb::object release_weights() {
    if constexpr (!W::kWhole) {
      nb::object released = weights();
      driver_.reset();
      return released;
    } else {
      const std::int64_t classes = driver_->weights().layout().classes;
      const std::int64_t features = driver_->weights().features();
      AlignedArray<Real> values = driver_->weights().release();
      driver_.reset();
      return to_matrix(std::move(values), features, classes);
    }
  }

  void set_weights(nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> values) {
    auto& w = driver_->weights();
    const std::size_t classes = std::size_t(w.layout().classes);
    if (values.shape(0) != std::size_t(w.features()) || values.shape(1) != classes)
      throw std::invalid_argument("weights must have the shape (features, classes)");
    for (std::int64_t f = 0; f < w.features(); ++f)
      std::copy_n(values.data() + f * classes, classes, w.of_feature(f));
  }

  std::shared_ptr<W> shared_weights(const Rows<Real>& rows, const ClassLayout& layout) const {
    if (!driver_ || driver_->weights().features() != rows.features() ||
        driver_->layout().classes != layout.classes)
      throw std::invalid_argument("weights are shared by drivers of the same features and classes");
    return driver_->shared_weights();
  }

 private:
  PyRows<Real> rows_;
  int threads_;
  std::unique_ptr<Sequential<Real, W>> driver_;
};

template <class Real, class W>
static void bind(nb::module_& m, const char* name) {
  using Driver = PySequential<Real, W>;
  nb::class_<Driver> bound(m, name);
  if constexpr (std::is_same_v<W, TiledWeights<Real>>)
    bound.def(
        "__init__",
        [](Driver* self, const PyRows<Real>& rows, Input<std::int32_t> labels,
           Input<double> loss_weights, int classes, const MachineAxes& machine,
           const std::string& restricted, double tau, int sweeps, std::uint64_t seed, int threads,
           Input<std::int32_t> order, Input<std::int32_t> tiles) {
          new (self)
              Driver(rows, labels, loss_weights, classes, machine, restricted, {tau, sweeps}, seed,
                     threads, false, [&](const auto& all, const auto&, const auto& layout) {
                       return std::make_shared<W>(
                           all.features(), layout, checked_order(order),
                           checked_tiles(tiles, all.size(), layout, std::int64_t(order.shape(0))));
                     });
        },
        "rows"_a, "labels"_a, "loss_weights"_a, "classes"_a, "machine"_a, "restricted"_a, "tau"_a,
        "sweeps"_a, "seed"_a, "threads"_a, "order"_a, "tiles"_a);
  else
    bound.def(
        "__init__",
        [](Driver* self, const PyRows<Real>& rows, Input<std::int32_t> labels,
           Input<double> loss_weights, int classes, const MachineAxes& machine,
           const std::string& restricted, double tau, int sweeps, std::uint64_t seed, int threads,
           bool lists_blocks, const Driver* weights_of) {
          new (self) Driver(rows, labels, loss_weights, classes, machine, restricted, {tau, sweeps},
                            seed, threads, lists_blocks,
                            [&](const auto& all, const auto& examples, const auto& layout) {
                              if (weights_of != nullptr)
                                return weights_of->shared_weights(all, layout);
                              if constexpr (W::kReduced)
                                return std::make_shared<W>(occurring_pairs(all, examples, layout));
                              else
                                return std::make_shared<W>(all.features(), layout);
                            });
        },
        "rows"_a, "labels"_a, "loss_weights"_a, "classes"_a, "machine"_a, "restricted"_a, "tau"_a,
        "sweeps"_a, "seed"_a, "threads"_a, "lists_blocks"_a, "weights_of"_a = nb::none());
  bound.def("set_label_sets", &Driver::set_label_sets, "indptr"_a, "classes"_a)
      .def("set_schedule", &Driver::set_schedule, "order"_a, "shrinking"_a, "cooling"_a,
           "epsilon"_a)
      .def("epoch", &Driver::epoch, "seconds"_a, "share"_a = 1.0)
      .def("round", &Driver::round, "seconds"_a)
      .def("rebuild", &Driver::rebuild)
      .def("certify", &Driver::certify)
      .def("duals", &Driver::duals)
      .def("set_duals", &Driver::set_duals, "indptr"_a, "classes"_a, "values"_a, "rebuild"_a = true)
      .def("set_scale", &Driver::set_scale, "scale"_a)
      .def("partial_sums", &Driver::partial_sums)
      .def("dual_terms", &Driver::dual_terms)
      .def("add_blocks", &Driver::add_blocks)
      .def("share_weights", &Driver::share_weights, "other"_a)
      .def("squared_norm", &Driver::squared_norm)
      .def("losses", &Driver::losses)
      .def("set_losses", &Driver::set_losses, "losses"_a)
      .def("schedule_memory", &Driver::schedule_memory)
      .def("recall_schedule", &Driver::recall_schedule, "memory"_a)
      .def("weights", &Driver::weights)
      .def("release_weights", &Driver::release_weights)
      .def_prop_ro("interrupted", [](const Driver& driver) { return driver.interrupted(); });
  if constexpr (W::kWhole) bound.def("set_weights", &Driver::set_weights, "weights"_a);
}

void bind_sequential(nb::module_& m) {
  bind<float, Weights<float>>(m, "Sequential32");
  bind<double, Weights<double>>(m, "Sequential64");
  bind<float, PackedWeights<float>>(m, "ReducedSequential32");
  bind<double, PackedWeights<double>>(m, "ReducedSequential64");
  bind<float, TiledWeights<float>>(m, "CandidateSequential32");
  bind<double, TiledWeights<double>>(m, "CandidateSequential64");
}

}  // namespace polymargin::bindings
