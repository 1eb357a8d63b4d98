// Which classes are near to rows, and their scores, as functions of NumPy arrays.
#include <stdexcept>

#include "access/rows.hpp"
#include "base/numpy.hpp"
#include "core.hpp"
#include "polymargin/access/csr_checks.hpp"
#include "polymargin/access/listed_scores.hpp"
#include "polymargin/access/nearest_groups.hpp"
#include "polymargin/access/similar_order.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace polymargin::bindings {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Lists = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
static std::span<const T> span_of(const Vector<T>& values) {
  return {values.data(), values.shape(0)};
}

static void check_range(std::span<const std::int32_t> classes, std::int64_t below,
                        const char* message) {
  for (std::int32_t m : classes)
    if (m < 0 || m >= below) throw std::invalid_argument(message);
}

template <class Real>
static nb::object nearest_groups(const PyRows<Real>& rows, Vector<std::int64_t> starts,
                                 Vector<std::int32_t> classes, Vector<Real> values,
                                 Vector<std::int32_t> group, Vector<std::int32_t> first,
                                 Vector<std::int32_t> own, int count, int threads) {
  const std::int64_t size = rows.rows->size();
  const std::int64_t n_groups = std::int64_t(first.shape(0));
  if (csr_fault(span_of(starts), span_of(classes), values.shape(0), std::int64_t(group.shape(0))) !=
      nullptr)
    throw std::invalid_argument("the centroids are not a valid CSR matrix");
  if (count < 1 || n_groups < count)
    throw std::invalid_argument("there must be as many groups as are asked for");
  if (own.shape(0) != 0 && own.shape(0) != std::size_t(size))
    throw std::invalid_argument("there must be a group for each row");
  check_range(span_of(first), n_groups, "the first groups must be groups");
  check_range(span_of(group), n_groups, "the groups of classes must be groups");
  check_range(span_of(own), n_groups, "the groups of rows must be groups");
  AlignedArray<std::int32_t> found(std::size_t(size) * std::size_t(count));
  {
    nb::gil_scoped_release released;
    polymargin::nearest_groups(
        *rows.rows,
        CentroidsByFeature<Real>{span_of(starts), span_of(classes), span_of(values), span_of(group),
                                 int(n_groups)},
        span_of(first), span_of(own), count, found.data(), threads);
  }
  return to_matrix(std::move(found), size, count);
}

template <class Real>
static nb::object similar_order(Vector<std::int64_t> starts, Vector<std::int32_t> features,
                                Vector<Real> values, std::int64_t n_features, std::int64_t tile,
                                std::uint64_t seed) {
  if (csr_fault(span_of(starts), span_of(features), values.shape(0), n_features) != nullptr)
    throw std::invalid_argument("the centroids are not a valid CSR matrix");
  if (tile < 1) throw std::invalid_argument("a tile has at least one class");
  std::vector<std::int32_t> order;
  {
    nb::gil_scoped_release released;
    const CentroidsByClass<Real> centroids{span_of(starts), span_of(features), span_of(values),
                                           n_features};
    order = SimilarOrder<Real>(centroids).find(tile, seed);
  }
  return to_numpy(std::move(order));
}

template <class Real>
static nb::object listed_scores(const PyRows<Real>& rows, Vector<std::int64_t> starts,
                                Vector<std::int32_t> features, Vector<Real> values,
                                Vector<Real> intercepts, Lists classes, int threads) {
  const std::int64_t size = rows.rows->size(), count = std::int64_t(classes.shape(1));
  if (csr_fault(span_of(starts), span_of(features), values.shape(0), rows.rows->features()) !=
      nullptr)
    throw std::invalid_argument("the weights are not a valid CSR matrix");
  if (intercepts.shape(0) + 1 != starts.shape(0))
    throw std::invalid_argument("there must be an intercept for each class");
  if (classes.shape(0) != std::size_t(size))
    throw std::invalid_argument("there must be a list of classes for each row");
  check_range({classes.data(), classes.size()}, std::int64_t(intercepts.shape(0)),
              "listed classes must be classes");
  AlignedArray<Real> scores(std::size_t(size) * std::size_t(count));
  {
    nb::gil_scoped_release released;
    polymargin::listed_scores(*rows.rows,
                              WeightsByClass<Real>{span_of(starts), span_of(features),
                                                   span_of(values), span_of(intercepts)},
                              classes.data(), int(count), scores.data(), threads);
  }
  return to_matrix(std::move(scores), size, count);
}

template <class Real>
static void bind(nb::module_& m) {
  m.def("nearest_groups", &nearest_groups<Real>, "rows"_a, "indptr"_a, "classes"_a,
        "values"_a.noconvert(), "group"_a, "first"_a, "own"_a, "count"_a, "threads"_a,
        "The groups of classes whose centroids, given by feature, are nearest to each row.");
  m.def("similar_order", &similar_order<Real>, "indptr"_a, "features"_a, "values"_a.noconvert(),
        "n_features"_a, "tile"_a, "seed"_a,
        "An order of classes, given by their centroids, in which like ones are neighbours.");
  m.def("listed_scores", &listed_scores<Real>, "rows"_a, "indptr"_a, "features"_a,
        "values"_a.noconvert(), "intercepts"_a.noconvert(), "classes"_a, "threads"_a,
        "The scores of the classes that are listed for each row.");
}

void bind_candidates(nb::module_& m) {
  bind<float>(m);
  bind<double>(m);
}

}  // namespace polymargin::bindings
