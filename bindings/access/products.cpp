// Products of all rows with a few vectors, as functions of NumPy arrays.
#include "polymargin/access/products.hpp"

#include <stdexcept>

#include "access/rows.hpp"
#include "base/numpy.hpp"
#include "core.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace polymargin::bindings {

template <class Real>
using Columns = nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Real>
static void check_shape(const Columns<Real>& array, std::int64_t rows, std::size_t columns,
                        const char* message) {
  if (array.shape(0) != std::size_t(rows) || array.shape(1) != columns || columns == 0)
    throw std::invalid_argument(message);
}

template <class Real>
static Weights<Real> padded(const Columns<Real>& values) {
  const std::size_t classes = values.shape(1);
  Weights<Real> weights(std::int64_t(values.shape(0)), ClassLayout::of<Real>(int(classes)));
  for (std::int64_t f = 0; f < weights.features(); ++f)
    std::copy_n(values.data() + f * classes, classes, weights.of_feature(f));
  return weights;
}

template <class Real>
static nb::object released(Weights<Real> weights) {
  const std::size_t classes = std::size_t(weights.layout().classes);
  const std::int64_t features = weights.features();
  return to_matrix(weights.release(), features, classes);
}

template <class Real>
static nb::object products(const PyRows<Real>& rows, Columns<Real> v, int threads) {
  check_shape(v, rows.rows->features(), v.shape(1), "V must have one row per feature");
  AlignedArray<Real> s(std::size_t(rows.rows->size()) * v.shape(1));
  {
    nb::gil_scoped_release released;
    polymargin::products(*rows.rows, padded(v), s.data(), threads);
  }
  return to_matrix(std::move(s), rows.rows->size(), v.shape(1));
}

template <class Real>
static nb::object transposed_products(const PyRows<Real>& rows, Columns<Real> d, int threads) {
  check_shape(d, rows.rows->size(), d.shape(1), "D must have one row per row of X");
  Weights<Real> result(rows.rows->features(), ClassLayout::of<Real>(int(d.shape(1))));
  {
    nb::gil_scoped_release released;
    polymargin::transposed_products(*rows.rows, d.data(), result, threads);
  }
  return released(std::move(result));
}

template <class Real>
static nb::object curvature_products(const PyRows<Real>& rows, Columns<Real> v, Columns<Real> d,
                                     int threads) {
  check_shape(v, rows.rows->features(), v.shape(1), "V must have one row per feature");
  check_shape(d, rows.rows->size(), v.shape(1), "D must have one row per row of X, as wide as V");
  Weights<Real> result(rows.rows->features(), ClassLayout::of<Real>(int(v.shape(1))));
  {
    nb::gil_scoped_release released;
    polymargin::curvature_products(*rows.rows, padded(v), d.data(), result, threads);
  }
  return released(std::move(result));
}

template <class Real>
static void bind(nb::module_& m) {
  m.def("products", &products<Real>, "rows"_a, "V"_a.noconvert(), "threads"_a, "X V");
  m.def("transposed_products", &transposed_products<Real>, "rows"_a, "D"_a.noconvert(), "threads"_a,
        "X^T D");
  m.def("curvature_products", &curvature_products<Real>, "rows"_a, "V"_a.noconvert(),
        "D"_a.noconvert(), "threads"_a, "X^T (D * X V)");
}

void bind_products(nb::module_& m) {
  bind<float>(m);
  bind<double>(m);
}

}  // namespace polymargin::bindings
