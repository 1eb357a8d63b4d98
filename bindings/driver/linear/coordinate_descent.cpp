// Coordinate descent for penalties that make weights zero, as a Python object.
#include "polymargin/driver/linear/coordinate_descent.hpp"

#include <nanobind/stl/string.h>

#include <memory>

#include "core.hpp"
#include "driver/interruptible.hpp"
#include "polymargin/access/csr_checks.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

using ByteMatrix = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using DoubleMatrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

class PyCoordinateDescent {
 public:
  // Columns of the matrix one after the other; with `indices`, of its entries other than zero.
  PyCoordinateDescent(Input<double> values, Input<std::int64_t> starts, Input<std::int32_t> indices,
                      ByteMatrix own, Input<double> loss_weights, Input<double> penalties,
                      const std::string& loss, bool grouped)
      : values_(nb::cast(values)), starts_(nb::cast(starts)), indices_(nb::cast(indices)) {
    const std::int64_t count = std::int64_t(own.shape(0)), features = penalties.shape(0);
    const bool sparse = starts.shape(0) > 0;
    if (sparse &&
        (std::int64_t(starts.shape(0)) != features + 1 ||
         csr_fault(std::span(starts.data(), starts.shape(0)),
                   std::span(indices.data(), indices.shape(0)), values.shape(0), count) != nullptr))
      throw std::invalid_argument("columns must be those of a CSC matrix");
    if (!sparse && std::int64_t(values.shape(0)) != count * features)
      throw std::invalid_argument("columns must have one value for each row");
    if (std::int64_t(loss_weights.shape(0)) != count)
      throw std::invalid_argument("there must be one loss weight per row");
    const std::size_t size = own.shape(0) * own.shape(1);
    descent_ = std::make_unique<CoordinateDescent>(
        MatrixColumns{count, features, values.data(), sparse ? starts.data() : nullptr,
                      sparse ? indices.data() : nullptr},
        int(own.shape(1)),
        loss == "squared_hinge" ? SmoothLoss::kSquaredHinge
        : loss == "logistic"    ? SmoothLoss::kLogistic
                                : SmoothLoss::kSoftmax,
        grouped, std::vector<std::uint8_t>(own.data(), own.data() + size),
        std::vector<double>(loss_weights.data(), loss_weights.data() + count),
        std::vector<double>(penalties.data(), penalties.data() + features));
    count_ = count;
    features_ = features;
    classes_ = std::int64_t(own.shape(1));
  }

  double sweep(Input<std::int64_t> features) {
    for (std::size_t e = 0; e < features.shape(0); ++e)
      if (features.data()[e] < 0 || features.data()[e] >= features_)
        throw std::invalid_argument("a feature is out of range");
    nb::gil_scoped_release released;
    return descent_->sweep(std::span(features.data(), features.shape(0)));
  }

  nb::object weights() const { return copied(descent_->weights(), features_); }
  nb::object scores() const { return copied(descent_->scores(), count_); }

  void set_weights(DoubleMatrix weights) {
    if (std::int64_t(weights.shape(0)) != features_ || std::int64_t(weights.shape(1)) != classes_)
      throw std::invalid_argument("weights must have the shape (features, classes)");
    descent_->set_weights(weights.data());
  }

 private:
  nb::object copied(const std::vector<double>& from, std::int64_t rows) const {
    AlignedArray<double> copy(from.size());
    std::copy(from.begin(), from.end(), copy.data());
    return to_matrix(std::move(copy), rows, classes_);
  }

  nb::object values_, starts_, indices_;
  std::int64_t count_ = 0, features_ = 0, classes_ = 0;
  std::unique_ptr<CoordinateDescent> descent_;
};

void bind_coordinate_descent(nb::module_& m) {
  nb::class_<PyCoordinateDescent>(m, "CoordinateDescent")
      .def(nb::init<Input<double>, Input<std::int64_t>, Input<std::int32_t>, ByteMatrix,
                    Input<double>, Input<double>, const std::string&, bool>(),
           "values"_a.noconvert(), "starts"_a.noconvert(), "indices"_a.noconvert(),
           "own"_a.noconvert(), "loss_weights"_a, "penalties"_a, "loss"_a, "grouped"_a)
      .def("sweep", &PyCoordinateDescent::sweep, "features"_a)
      .def("weights", &PyCoordinateDescent::weights)
      .def("scores", &PyCoordinateDescent::scores)
      .def("set_weights", &PyCoordinateDescent::set_weights, "weights"_a);
}

}  // namespace polymargin::bindings
