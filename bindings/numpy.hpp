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

template <class T>
nanobind::object to_matrix(AlignedArray<T> values, std::int64_t rows, std::size_t columns) {
  auto* owned = new AlignedArray<T>(std::move(values));
  nanobind::capsule owner(owned, [](void* p) noexcept { delete static_cast<AlignedArray<T>*>(p); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<2>>(
      owned->data(), {std::size_t(rows), columns}, owner));
}

}  // namespace polymargin::bindings
