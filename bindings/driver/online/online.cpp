// The online driver as a Python object. Kernel rows of arrivals come from Python, and so do rows
// that the cache has lost.
#include "polymargin/driver/online/online.hpp"

#include <nanobind/stl/array.h>

#include <cmath>
#include <limits>

#include "core.hpp"
#include "driver/interruptible.hpp"
#include "saved_patterns.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Real>
class PyOnline : public Interruptible {
 public:
  // rows(places, width) returns the kernel of the patterns at some places with all below `width`.
  PyOnline(int classes, const MachineAxes& machine, bool by_gain, int hits, double violation,
           std::int64_t budget, bool wall_clock, double evaluation_cost,
           const StepRates::Weights& weights, bool adaptive, double cache_bytes, std::uint64_t seed,
           nb::callable rows)
      : online_(classes, ExchangeMachine(machine),
                {by_gain, hits, violation, budget, wall_clock, evaluation_cost},
                StepRates(weights, adaptive), std::int64_t(cache_bytes), seed,
                source(std::move(rows))) {}

  void grow(std::int64_t places) {
    if (places < this->places() || places > std::numeric_limits<std::int32_t>::max())
      throw std::invalid_argument("there cannot be so many places");
    online_.grow(places);
  }
  nb::object free(std::int64_t count) const {
    if (count + size() > places()) throw std::invalid_argument("there are not so many free places");
    return to_numpy(online_.patterns().free(count));
  }

  nb::tuple process(Input<std::int32_t> places, Input<std::int32_t> labels,
                    Input<double> loss_weights, Matrix<Real> values, double seconds_of_row,
                    double seconds) {
    const std::size_t count = places.shape(0), width = values.shape(1);
    if (labels.shape(0) != count || loss_weights.shape(0) != count || values.shape(0) != count ||
        std::int64_t(width) > online_.patterns().places() ||
        std::int64_t(width) < online_.rows().width())
      throw std::invalid_argument("labels, loss_weights and values must have one entry per place");
    for (std::size_t b = 0; b < count; ++b) {
      check(places.data()[b], labels.data()[b]);
      if (places.data()[b] >= std::int32_t(width) || online_.patterns().contains(places.data()[b]))
        throw std::invalid_argument("a place is not free");
    }
    forget_signals();
    const std::int64_t learned = for_seconds(seconds, [&](const auto& poll) {
      return online_.process({places.data(), count}, labels.data(), loss_weights.data(),
                             values.data(), std::int64_t(width), seconds_of_row, poll);
    });
    return how_far(learned, count);
  }

  // Support patterns come again; returns what process() does.
  nb::tuple revisit(Input<std::int32_t> places, double seconds) {
    const std::size_t count = places.shape(0);
    for (std::size_t b = 0; b < count; ++b) check(places.data()[b], 0);
    forget_signals();
    const std::int64_t learned = for_seconds(
        seconds, [&](const auto& poll) { return online_.revisit({places.data(), count}, poll); });
    return how_far(learned, count);
  }

  // Of the patterns, in their order: (places, labels, loss_weights, curvatures).
  nb::tuple patterns() const {
    std::vector<std::int32_t> labels;
    std::vector<double> loss_weights, curvatures;
    for (std::int32_t place : list()) {
      const Pattern& pattern = online_.patterns().at(place);
      labels.push_back(pattern.label);
      loss_weights.push_back(pattern.loss_weight);
      curvatures.push_back(pattern.curvature);
    }
    return nb::make_tuple(to_numpy(list()), to_numpy(std::move(labels)),
                          to_numpy(std::move(loss_weights)), to_numpy(std::move(curvatures)));
  }

  // The support classes, one class after the other: (starts, places, coefficients, gradients).
  nb::tuple columns() const {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> places;
    std::vector<double> coefficients, gradients;
    const auto append = [](auto& all, const auto& some) {
      all.insert(all.end(), some.begin(), some.end());
    };
    for (std::int32_t label = 0; label < classes(); ++label) {
      const SupportColumn& column = online_.patterns().support().column(label);
      append(places, column.places);
      append(coefficients, column.coefficients);
      append(gradients, column.gradients);
      starts.push_back(std::int64_t(places.size()));
    }
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(places)),
                          to_numpy(std::move(coefficients)), to_numpy(std::move(gradients)));
  }

  // Other patterns, with what patterns() and columns() return.
  void set_patterns(Input<std::int32_t> places, Input<std::int32_t> labels,
                    Input<double> loss_weights, Input<double> curvatures,
                    Input<std::int64_t> starts, Input<std::int32_t> column_places,
                    Input<double> coefficients, Input<double> gradients) {
    SavedPatterns{places, labels,        loss_weights, curvatures,
                  starts, column_places, coefficients, gradients}
        .check(this->places(), classes());
    online_.clear();
    for (std::size_t b = 0; b < places.shape(0); ++b)
      online_.insert(places.data()[b],
                     {labels.data()[b], loss_weights.data()[b], curvatures.data()[b]});
    for (std::int32_t label = 0; label < classes(); ++label)
      for (std::int64_t p = starts.data()[label]; p < starts.data()[label + 1]; ++p)
        online_.patterns().support().add(column_places.data()[p], label, coefficients.data()[p],
                                         gradients.data()[p]);
  }
  void rebuild() {
    nb::gil_scoped_release released;
    online_.rebuild();
  }

  // Kernel rows in the cache, the one used last at the end: (places, rows).
  nb::tuple cache() {
    auto& cache = online_.rows().cache();
    std::vector<std::int32_t> places = cache.in_order_of_use();
    const std::int64_t width = online_.rows().width();
    AlignedArray<Real> values(places.size() * width);
    for (std::size_t b = 0; b < places.size(); ++b)
      std::copy_n(cache.at(places[b]), width, values.data() + b * width);
    const std::int64_t count = std::int64_t(places.size());
    return nb::make_tuple(to_numpy(std::move(places)), to_matrix(std::move(values), count, width));
  }
  void set_cache(Input<std::int32_t> places, Matrix<Real> rows) {
    auto& cache = online_.rows().cache();
    const std::int64_t width = std::int64_t(rows.shape(1));
    if (rows.shape(0) != places.shape(0) || width > cache.length())
      throw std::invalid_argument("rows have the wrong shape");
    if (std::int64_t(places.shape(0)) > cache.capacity())
      throw std::invalid_argument("there is no room for so many rows");
    for (std::int32_t place : list())
      if (place >= width) throw std::invalid_argument("rows do not reach all places");
    online_.rows().set_width(width);
    for (std::size_t b = 0; b < places.shape(0); ++b) {
      const std::int32_t place = places.data()[b];
      check(place, 0);
      if (!online_.patterns().contains(place) || cache.at(place) != nullptr)
        throw std::invalid_argument("a row is not of a pattern, or comes twice");
      std::copy_n(rows.data() + b * width, width, cache.insert(place));
    }
  }

  // Everything else that training depends on, and what is counted.
  nb::tuple state() {
    const auto& random = online_.random().state();
    const auto& weights = online_.rates().weights();
    const Candidate& candidate = online_.candidate();
    return nb::make_tuple(nb::make_tuple(random[0], random[1], random[2], random[3]),
                          nb::make_tuple(weights[0], weights[1], weights[2]),
                          nb::make_tuple(candidate.place, candidate.up, candidate.down), steps(),
                          nb::make_tuple(online_.evaluations, online_.terms), computed_on_demand());
  }
  void set_state(const std::array<std::uint64_t, 4>& random, const StepRates::Weights& weights,
                 const std::array<std::int32_t, 3>& candidate,
                 const std::array<std::int64_t, kStepKinds>& steps,
                 const std::array<std::int64_t, 2>& work, std::int64_t on_demand) {
    if (random == std::array<std::uint64_t, 4>{})
      throw std::invalid_argument("random numbers would be the same for ever");
    for (double weight : weights)
      if (!std::isfinite(weight)) throw std::invalid_argument("a rate of steps is not finite");
    if (candidate[0] != -1) {
      check(candidate[0], candidate[1]);
      check(candidate[0], candidate[2]);
      if (!online_.patterns().contains(candidate[0]))
        throw std::invalid_argument("the candidate is not a pattern");
    }
    online_.random().set_state(random);
    online_.rates().set_weights(weights);
    online_.candidate() = {candidate[0], candidate[1], candidate[2]};
    online_.steps = steps;
    online_.evaluations = work[0];
    online_.terms = work[1];
    online_.rows().set_evaluations(on_demand);
  }

  std::int64_t places() const { return online_.patterns().places(); }
  std::int64_t width() const { return online_.rows().width(); }
  std::int64_t size() const { return std::int64_t(list().size()); }
  std::int64_t cached() { return online_.rows().cache().size(); }
  std::int64_t capacity() { return online_.rows().cache().capacity(); }
  double dual() const { return online_.patterns().dual(); }
  double penalties() const { return online_.patterns().penalties(); }
  nb::tuple steps() const {
    return nb::make_tuple(online_.steps[0], online_.steps[1], online_.steps[2]);
  }
  std::int64_t evaluations() const { return online_.evaluations; }
  std::int64_t terms() const { return online_.terms; }
  double work() const { return online_.work(); }
  std::int64_t computed_on_demand() const { return online_.rows().evaluations(); }

 private:
  int classes() const { return online_.patterns().support().classes(); }
  const std::vector<std::int32_t>& list() const { return online_.patterns().list(); }
  void check(std::int32_t place, std::int32_t label) const {
    if (place < 0 || place >= places()) throw std::invalid_argument("a place is out of range");
    if (label < 0 || label >= classes()) throw std::invalid_argument("a label is out of range");
  }
  // Of how many examples it has learned, and whether it was stopped.
  nb::tuple how_far(std::int64_t learned, std::size_t count) {
    const bool stopped = learned < std::int64_t(count) || interrupted() || signalled();
    return nb::make_tuple(learned, stopped);
  }
  // Calls Python, which needs the GIL for that and no longer.
  static typename PatternRows<Real>::Source source(nb::callable rows) {
    return [rows = std::move(rows)](std::span<const std::int32_t> places, std::int64_t width,
                                    Real* values) {
      nb::gil_scoped_acquire acquired;
      const nb::object made =
          rows(to_numpy(std::vector<std::int32_t>(places.begin(), places.end())), width);
      const auto tile = nb::cast<Matrix<Real>>(made);
      if (tile.shape(0) != places.size() || std::int64_t(tile.shape(1)) != width)
        throw std::invalid_argument("kernel rows have the wrong shape");
      std::copy_n(tile.data(), tile.size(), values);
    };
  }

  Online<Real> online_;
};

template <class Real>
static void bind(nb::module_& m, const char* name) {
  using Driver = PyOnline<Real>;
  nb::class_<Driver>(m, name)
      .def(nb::init<int, const MachineAxes&, bool, int, double, std::int64_t, bool, double,
                    const StepRates::Weights&, bool, double, std::uint64_t, nb::callable>(),
           "classes"_a, "machine"_a, "by_gain"_a, "hits"_a, "violation"_a, "budget"_a,
           "wall_clock"_a, "evaluation_cost"_a, "weights"_a, "adaptive"_a, "cache_bytes"_a,
           "seed"_a, "rows"_a)
      .def("grow", &Driver::grow, "places"_a)
      .def("free", &Driver::free, "count"_a)
      .def("process", &Driver::process, "places"_a, "labels"_a, "loss_weights"_a, "values"_a,
           "seconds_of_row"_a, "seconds"_a)
      .def("revisit", &Driver::revisit, "places"_a, "seconds"_a)
      .def("patterns", &Driver::patterns)
      .def("columns", &Driver::columns)
      .def("set_patterns", &Driver::set_patterns, "places"_a, "labels"_a, "loss_weights"_a,
           "curvatures"_a, "starts"_a, "column_places"_a, "coefficients"_a, "gradients"_a)
      .def("rebuild", &Driver::rebuild)
      .def("cache", &Driver::cache)
      .def("set_cache", &Driver::set_cache, "places"_a, "rows"_a)
      .def("state", &Driver::state)
      .def("set_state", &Driver::set_state, "random"_a, "weights"_a, "candidate"_a, "steps"_a,
           "work"_a, "on_demand"_a)
      .def_prop_ro("places", &Driver::places)
      .def_prop_ro("width", &Driver::width)
      .def_prop_ro("size", &Driver::size)
      .def_prop_ro("cached", &Driver::cached)
      .def_prop_ro("capacity", &Driver::capacity)
      .def_prop_ro("dual", &Driver::dual)
      .def_prop_ro("penalties", &Driver::penalties)
      .def_prop_ro("steps", &Driver::steps)
      .def_prop_ro("evaluations", &Driver::evaluations)
      .def_prop_ro("terms", &Driver::terms)
      .def_prop_ro("work", &Driver::work)
      .def_prop_ro("computed_on_demand", &Driver::computed_on_demand)
      .def_prop_ro("interrupted", [](const Driver& driver) { return driver.interrupted(); });
}

void bind_online(nb::module_& m) {
  bind<float>(m, "Online32");
  bind<double>(m, "Online64");
}

}  // namespace polymargin::bindings
