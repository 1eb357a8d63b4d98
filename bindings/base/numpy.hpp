// NumPy arrays that own what the core computed.
#pragma once

#include <nanobind/ndarray.h>

#include <vector>

#include "polymargin/base/aligned.hpp"

namespace polymargin::bindings {

template <class T>
nanobind::object to_numpy(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>(
      owned->data(), {owned->size()}, owner));
}

// With `transposed`, the values are stored column by column.
template <class T>
nanobind::object to_matrix(AlignedArray<T> values, std::int64_t rows, std::int64_t columns,
                           bool transposed = false) {
  auto* owned = new AlignedArray<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<AlignedArray<T>*>(p); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>(
      owned->data(), {std::size_t(rows), std::size_t(columns)}, owner,
      {transposed ? 1 : columns, transposed ? rows : 1}));
}

}  // namespace polymargin::bindings
