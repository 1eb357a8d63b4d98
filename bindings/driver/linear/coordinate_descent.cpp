// Coordinate descent on quadratic models, as functions of Python.
#include "polymargin/driver/linear/coordinate_descent.hpp"

#include <nanobind/stl/string.h>

#include "core.hpp"
#include "driver/interruptible.hpp"
#include "polymargin/access/csr_checks.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Changed = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Penalty penalty_of(const std::string& kind, Matrix terms, const Changed& weights) {
  const std::size_t features = weights.shape(0);
  if (terms.shape(0) != 3 || terms.shape(1) != features)
    throw std::invalid_argument("terms must have the shape (3, features)");
  const auto row = [&](int which) { return std::span(terms.data() + which * features, features); };
  return {kind == "l2"      ? PenaltyKind::kSquare
          : kind == "group" ? PenaltyKind::kLength
                            : PenaltyKind::kAbsolute,
          row(0), row(1), row(2)};
}

template <class Model>
double descend(Model model, const Penalty& penalty, Changed weights, std::int64_t sweeps,
               double share) {
  const std::span all(weights.data(), weights.shape(0) * weights.shape(1));
  nb::gil_scoped_release released;
  return CoordinateDescent<Model>(model, penalty, all).run(sweeps, share);
}

// Columns of the matrix one after the other; with `indices`, of its entries other than zero.
double descend_columns(Input<double> values, Input<std::int64_t> starts,
                       Input<std::int32_t> indices, Changed slopes, Matrix bends,
                       Input<double> shares, Input<double> damping, Changed moved,
                       const std::string& kind, Matrix terms, Changed weights, std::int64_t sweeps,
                       double share) {
  const std::size_t count = slopes.shape(0), k = weights.shape(1), features = weights.shape(0);
  const bool sparse = starts.shape(0) > 0;
  if (sparse &&
      (starts.shape(0) != features + 1 ||
       csr_fault(std::span(starts.data(), starts.shape(0)),
                 std::span(indices.data(), indices.shape(0)), values.shape(0), count) != nullptr))
    throw std::invalid_argument("columns must be those of a CSC matrix");
  if (!sparse && values.shape(0) != count * features)
    throw std::invalid_argument("columns must have one value for each row");
  if (slopes.shape(1) != k || bends.shape(0) != count || bends.shape(1) != k)
    throw std::invalid_argument("slopes and bends must have the shape (rows, classes)");
  if (shares.shape(0) != 0 && shares.shape(0) != count)
    throw std::invalid_argument("there must be one share per row");
  if (damping.shape(0) != features || moved.shape(0) != features || moved.shape(1) != k)
    throw std::invalid_argument("damping and steps must be those of the features");
  const ColumnModel model{std::int64_t(count),
                          int(k),
                          values.data(),
                          sparse ? starts.data() : nullptr,
                          sparse ? indices.data() : nullptr,
                          slopes.data(),
                          bends.data(),
                          shares.shape(0) > 0 ? shares.data() : nullptr,
                          damping.data(),
                          moved.data()};
  return descend(model, penalty_of(kind, terms, weights), weights, sweeps, share);
}

double descend_gram(Cube gram, Changed gradients, const std::string& kind, Matrix terms,
                    Changed weights, std::int64_t sweeps, double share) {
  const std::size_t features = weights.shape(0), k = weights.shape(1);
  if (gram.shape(0) != k || gram.shape(1) != features || gram.shape(2) != features)
    throw std::invalid_argument("gram must have the shape (classes, features, features)");
  if (gradients.shape(0) != k || gradients.shape(1) != features)
    throw std::invalid_argument("gradients must have the shape (classes, features)");
  const GramModel model{std::int64_t(features), int(k), gram.data(), gradients.data()};
  return descend(model, penalty_of(kind, terms, weights), weights, sweeps, share);
}

void bind_coordinate_descent(nb::module_& m) {
  m.def("descend_columns", &descend_columns, "values"_a.noconvert(), "starts"_a.noconvert(),
        "indices"_a.noconvert(), "slopes"_a.noconvert(), "bends"_a.noconvert(), "shares"_a,
        "damping"_a, "moved"_a.noconvert(), "kind"_a, "terms"_a, "weights"_a.noconvert(),
        "sweeps"_a, "share"_a);
  m.def("descend_gram", &descend_gram, "gram"_a.noconvert(), "gradients"_a.noconvert(), "kind"_a,
        "terms"_a, "weights"_a.noconvert(), "sweeps"_a, "share"_a);
}

}  // namespace polymargin::bindings
