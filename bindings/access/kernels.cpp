// Kernels of two sets of points, as functions of NumPy arrays.
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <string>

#include "core.hpp"
#include "polymargin/access/csr_checks.hpp"
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
static void mirror(nb::ndarray<Real, nb::ndim<2>, nb::device::cpu> matrix, std::int64_t first,
                   std::int64_t last) {
  const std::int64_t size = std::int64_t(matrix.shape(0));
  if (std::int64_t(matrix.shape(1)) < size || matrix.stride(1) != 1 || first < 0 || last < first ||
      last > size)
    throw std::invalid_argument("the kernel matrix has the wrong shape");
  nb::gil_scoped_release released;
  polymargin::mirror(matrix.data(), matrix.stride(0), first, last);
}

template <class Real, class Index>
static void sparse_products(Array<const Real, 1> left_values, Array<const Index, 1> left_indices,
                            Array<const Index, 1> left_starts, Array<const Real, 1> right_values,
                            Array<const Index, 1> right_indices, Array<const Index, 1> right_starts,
                            Array<Real, 2> tile) {
  if (left_starts.shape(0) != tile.shape(0) + 1)
    throw std::invalid_argument("there must be one row on the left per row of the tile");
  const auto check = [](const auto& values, const auto& indices, const auto& starts,
                        std::size_t columns) {
    const char* fault = csr_fault(std::span(starts.data(), starts.shape(0)),
                                  std::span(indices.data(), indices.shape(0)), values.shape(0),
                                  std::int64_t(columns));
    if (fault) throw std::invalid_argument(std::string("not a valid CSR matrix: ") + fault);
  };
  check(right_values, right_indices, right_starts, tile.shape(1));
  check(left_values, left_indices, left_starts, right_starts.shape(0) - 1);
  const SparseRows<Real, Index> left{left_values.data(), left_indices.data(), left_starts.data()};
  const SparseRows<Real, Index> right{right_values.data(), right_indices.data(),
                                      right_starts.data()};
  nb::gil_scoped_release released;
  polymargin::sparse_products(tile.data(), std::int64_t(tile.shape(0)), std::int64_t(tile.shape(1)),
                              left, right);
}

template <class Real, class Index>
static void bind_sparse(nb::module_& m) {
  m.def("sparse_products", &sparse_products<Real, Index>, "left_values"_a.noconvert(),
        "left_indices"_a.noconvert(), "left_starts"_a.noconvert(), "right_values"_a.noconvert(),
        "right_indices"_a.noconvert(), "right_starts"_a.noconvert(), "tile"_a.noconvert(),
        "products of CSR rows with the columns of a CSR matrix");
}

template <class Real>
static void bind(nb::module_& m) {
  m.def("gaussian_of_products", &gaussian_of_products<Real>, "tile"_a.noconvert(),
        "left"_a.noconvert(), "right"_a.noconvert(), "gamma"_a, "indistinct"_a,
        "exp(2 gamma tile - left - right), in place");
  m.def("laplacian_kernel", &laplacian_kernel<Real>, "left"_a.noconvert(), "right"_a.noconvert(),
        "tile"_a.noconvert(), "gamma"_a, "exp(-gamma |x - y|_1) of rows x and columns y");
  m.def("mirror", &mirror<Real>, "matrix"_a.noconvert(), "first"_a, "last"_a,
        "copies rows of a symmetric matrix, as far as they are before `first`, to columns");
  bind_sparse<Real, std::int32_t>(m);
  bind_sparse<Real, std::int64_t>(m);
}

void bind_kernels(nb::module_& m) {
  bind<float>(m);
  bind<double>(m);
}

}  // namespace polymargin::bindings
