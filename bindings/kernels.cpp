// Kernels of two sets of points, as functions of NumPy arrays.
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "core.hpp"
#include "polymargin/access/kernel_transforms.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace polymargin::bindings {

template <class Real, int Dimensions>
using Array = nb::ndarray<Real, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

template <class Real>
static void gaussian_of_products(Array<Real, 2> tile, Array<const Real, 1> left,
                                 Array<const Real, 1> right, double gamma, double indistinct) {
  if (left.shape(0) != tile.shape(0) || right.shape(0) != tile.shape(1))
    throw std::invalid_argument("there must be one norm per row and one per column of the tile");
  nb::gil_scoped_release released;
  polymargin::gaussian_of_products(tile.data(), std::int64_t(tile.shape(0)),
                                   std::int64_t(tile.shape(1)), left.data(), right.data(),
                                   Real(gamma), Real(indistinct));
}

template <class Real>
static void laplacian_kernel(Array<const Real, 2> left, Array<const Real, 2> right,
                             Array<Real, 2> tile, double gamma) {
  if (left.shape(1) != right.shape(0) || left.shape(0) != tile.shape(0) ||
      right.shape(1) != tile.shape(1))
    throw std::invalid_argument("left, transposed right and tile must agree in shape");
  nb::gil_scoped_release released;
  polymargin::laplacian_kernel(tile.data(), std::int64_t(tile.shape(0)),
                               std::int64_t(tile.shape(1)), std::int64_t(left.shape(1)),
                               left.data(), right.data(), Real(gamma));
}

template <class Real>
static void bind(nb::module_& m) {
  m.def("gaussian_of_products", &gaussian_of_products<Real>, "tile"_a.noconvert(),
        "left"_a.noconvert(), "right"_a.noconvert(), "gamma"_a, "indistinct"_a,
        "exp(2 gamma tile - left - right), in place");
  m.def("laplacian_kernel", &laplacian_kernel<Real>, "left"_a.noconvert(), "right"_a.noconvert(),
        "tile"_a.noconvert(), "gamma"_a, "exp(-gamma |x - y|_1) of rows x and columns y");
}

void bind_kernels(nb::module_& m) {
  bind<float>(m);
  bind<double>(m);
}

}  // namespace polymargin::bindings
