// Rows together with the Python objects whose memory they read.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "polymargin/access/storage.hpp"

namespace polymargin::bindings {

template <class Real>
struct PyRows {
  std::shared_ptr<const Rows<Real>> rows;
  std::vector<nanobind::object> owners;
  bool canonical = true;  // CSR: indices ascending in every row, without duplicates
};

}  // namespace polymargin::bindings
