// Rows of NumPy and SciPy arrays, read in place; the array objects are kept alive.
#include "access/rows.hpp"

#include <nanobind/ndarray.h>

#include <limits>
#include <stdexcept>
#include <string>

#include "core.hpp"
#include "polymargin/access/csr_checks.hpp"
#include "polymargin/access/subset.hpp"

namespace nb = nanobind;

namespace polymargin::bindings {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

template <class Real, class Index>
static PyRows<Real> csr_rows(Vector<Real> values, Vector<Index> indices, Vector<Index> starts,
                             std::int64_t columns, double bias) {
  const std::span<const Index> row_starts(starts.data(), starts.shape(0));
  const std::span<const Index> all(indices.data(), indices.shape(0));
  if (const char* fault = csr_fault(row_starts, all, values.shape(0), columns))
    throw std::invalid_argument(std::string("X is not a valid CSR matrix: ") + fault);
  const std::int64_t rows = std::int64_t(row_starts.size()) - 1;
  const bool canonical = ascends_within(all.first(std::size_t(row_starts.back())), row_starts);
  CsrStorage<Real, Index> storage{values.data(), indices.data(), starts.data(), rows, columns};
  return {std::make_shared<RowsOf<Real, CsrStorage<Real, Index>>>(storage, Real(bias)),
          {nb::cast(values), nb::cast(indices), nb::cast(starts)},
          canonical};
}

// In words, what is wrong with a CSR matrix; None if nothing is.
template <class Index>
static nb::object fault_of_csr(Vector<Index> indices, Vector<Index> starts, std::size_t values,
                               std::int64_t columns) {
  const char* fault =
      csr_fault(std::span<const Index>(starts.data(), starts.shape(0)),
                std::span<const Index>(indices.data(), indices.shape(0)), values, columns);
  return fault ? nb::object(nb::str(fault)) : nb::none();
}

template <class Real>
static PyRows<Real> dense_rows(Matrix<Real> values, double bias) {
  const auto read = [&]<bool Contiguous>() -> PyRows<Real> {
    using Storage = DenseStorage<Real, Contiguous>;
    const Storage storage{values.data(), values.stride(0), values.stride(1),
                          std::int64_t(values.shape(0)), std::int64_t(values.shape(1))};
    return {std::make_shared<RowsOf<Real, Storage>>(storage, Real(bias)), {nb::cast(values)}};
  };
  return values.stride(1) == 1 ? read.template operator()<true>()
                               : read.template operator()<false>();
}

// Some of the rows, which stay where they are.
template <class Real>
static PyRows<Real> subset_of(const PyRows<Real>& rows, Vector<std::int64_t> indices) {
  const std::int64_t size = rows.rows->size();
  if (size > std::numeric_limits<std::int32_t>::max())
    throw std::invalid_argument("subset: there must be less than 2^31 rows");
  std::vector<std::int32_t> chosen(indices.shape(0));
  for (std::size_t position = 0; position < chosen.size(); ++position) {
    const std::int64_t index = indices.data()[position];
    if (index < 0 || index >= size)
      throw std::out_of_range("subset: indices[" + std::to_string(position) + "] is " +
                              std::to_string(index) + "; give row numbers from 0 to " +
                              std::to_string(size - 1) + ".");
    chosen[position] = std::int32_t(index);
  }
  return {std::make_shared<RowsSubset<Real>>(rows.rows, std::move(chosen)), rows.owners,
          rows.canonical};
}

template <class Real>
static void bind_rows_of(nb::module_& m, const char* name) {
  using namespace nb::literals;
  nb::class_<PyRows<Real>>(m, name)
      .def_prop_ro("size", [](const PyRows<Real>& rows) { return rows.rows->size(); })
      .def_ro("canonical", &PyRows<Real>::canonical)
      .def_prop_ro("features", [](const PyRows<Real>& rows) { return rows.rows->features(); })
      .def("subset", &subset_of<Real>, "indices"_a.noconvert(),
           "The rows with these numbers (int64), in this order; not a copy.");
  m.def("csr_rows", &csr_rows<Real, std::int32_t>, "data"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "columns"_a, "bias"_a);
  m.def("csr_rows", &csr_rows<Real, std::int64_t>, "data"_a.noconvert(), "indices"_a.noconvert(),
        "indptr"_a.noconvert(), "columns"_a, "bias"_a);
  m.def("dense_rows", &dense_rows<Real>, "array"_a.noconvert(), "bias"_a);
}

template <class Index>
static void bind_csr_fault(nb::module_& m) {
  using namespace nb::literals;
  m.def("csr_fault", &fault_of_csr<Index>, "indices"_a.noconvert(), "indptr"_a.noconvert(),
        "values"_a, "columns"_a);
}

void bind_rows(nb::module_& m) {
  bind_csr_fault<std::int32_t>(m);
  bind_csr_fault<std::int64_t>(m);
  bind_rows_of<float>(m, "Rows32");
  bind_rows_of<double>(m, "Rows64");
}

}  // namespace polymargin::bindings
