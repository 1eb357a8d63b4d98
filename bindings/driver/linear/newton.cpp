// Proximal Newton steps of linear machines as Python objects.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "core.hpp"
#include "driver/dual_blocks.hpp"
#include "driver/interruptible.hpp"
#include "driver/labels.hpp"
#include "polymargin/driver/linear/newton/problems.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A function of SciPy's BLAS or LAPACK, from the capsule that exports it.
template <class Function>
static void read_capsule(const nb::dict& functions, const char* name, Function& function) {
  const nb::object capsule = functions[name];
  function = reinterpret_cast<Function>(
      PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr())));
  if (function == nullptr) throw nb::python_error();
}

static Blas read_blas(const nb::dict& functions) {
  Blas blas;
  read_capsule(functions, "dgemm", blas.dgemm);
  read_capsule(functions, "dgemv", blas.dgemv);
  read_capsule(functions, "dsyrk", blas.dsyrk);
  read_capsule(functions, "dtrsm", blas.dtrsm);
  read_capsule(functions, "dtrsv", blas.dtrsv);
  read_capsule(functions, "dpotrf", blas.dpotrf);
  return blas;
}

// Rows in double precision with what they lie in.
class PyDoubleRows {
 public:
  PyDoubleRows(const Blas& blas, Matrix values) : blas_(blas), values_(nb::cast(values)) {
    rows_ = {std::int64_t(values.shape(0)),
             std::int64_t(values.shape(1)),
             values.data(),
             nullptr,
             nullptr,
             nullptr};
  }
  PyDoubleRows(const Blas& blas, Input<double> values, Input<std::int32_t> indices,
               Input<std::int64_t> starts, std::int64_t features)
      : blas_(blas),
        values_(nb::cast(values)),
        indices_(nb::cast(indices)),
        starts_(nb::cast(starts)) {
    if (const char* fault =
            csr_fault(std::span(starts.data(), starts.shape(0)),
                      std::span(indices.data(), indices.shape(0)), values.shape(0), features))
      throw std::invalid_argument(fault);
    rows_ = {std::int64_t(starts.shape(0)) - 1,
             features,
             values.data(),
             starts.data(),
             indices.data(),
             nullptr};
  }

  DoubleRows rows() const {
    DoubleRows rows = rows_;
    rows.blas = &blas_;
    return rows;
  }

 private:
  Blas blas_;
  nb::object values_, indices_, starts_;
  DoubleRows rows_;
};

class PyNewton : public Interruptible {
 public:
  PyNewton(nb::object rows, const MachineAxes& axes, Input<std::int32_t> labels,
           Input<double> loss_weights, int columns, const std::string& division, double tolerance,
           bool by_violation, int threads, Input<std::int64_t> set_starts,
           Input<std::int32_t> set_classes)
      : owner_(rows) {
    const DoubleRows of_problem = nb::cast<const PyDoubleRows&>(rows).rows();
    const std::size_t size = std::size_t(of_problem.count);
    // Where problems are divided, labels are compared with classes and nothing else.
    const bool whole = division == "none";
    check_labels(labels, loss_weights, size, whole ? 0 : -1,
                 whole ? columns : std::numeric_limits<int>::max());
    const std::size_t sets = set_starts.shape(0);
    if (sets > 0 &&
        (sets != size + 1 || csr_fault(std::span(set_starts.data(), sets),
                                       std::span(set_classes.data(), set_classes.shape(0)),
                                       set_classes.shape(0), columns) != nullptr))
      throw std::invalid_argument("there must be one set of labels per row");
    problems_ = std::make_unique<NewtonProblems>(
        of_problem, axes, std::vector<std::int32_t>(labels.data(), labels.data() + size),
        std::vector<double>(loss_weights.data(), loss_weights.data() + size), columns,
        division == "none"    ? Division::kNone
        : division == "class" ? Division::kByClass
                              : Division::kByPair,
        NewtonTolerance{tolerance, by_violation}, threads,
        NewtonProblems::LabelSets{{set_starts.data(), set_starts.data() + sets},
                                  {set_classes.data(), set_classes.data() + set_classes.shape(0)}});
  }

  EpochReport epochs(double seconds, std::int64_t most) {
    return run_epoch(seconds, [&](const auto& poll) { return problems_->epochs(most, poll); });
  }

  void first() {
    nb::gil_scoped_release released;
    problems_->first();
  }

  bool has_started() const { return problems_->has_started(); }

  double dual() const { return problems_->has_started() ? problems_->dual() : -HUGE_VAL; }

  nb::tuple certify(bool single) {
    Certificate found;
    {
      nb::gil_scoped_release released;
      found = problems_->certify(single);
    }
    return nb::make_tuple(found.primal, found.dual, found.violation);
  }

  // W, of shape (features, columns), to be rounded as the certificate was told.
  nb::object weights() {
    first();
    const std::int64_t features = problems_->rows().features, columns = problems_->columns();
    AlignedArray<double> all(checked_product(std::size_t(features), std::size_t(columns)));
    for (const auto& part : problems_->parts()) {
      if (problems_->is_at_zero(part)) continue;
      const int k = part.newton->blocks().columns();
      for (std::int64_t f = 0; f < features; ++f)
        for (int m = 0; m < k; ++m)
          all.data()[f * columns + part.column + m] =
              part.stretch * part.newton->weights()[f * k + m];
    }
    return to_matrix(std::move(all), features, columns);
  }

  // The dual blocks as CSR: (indptr, columns, values)
  nb::tuple duals() {
    first();
    const std::int64_t count = problems_->rows().count;
    std::vector<std::int64_t> starts(count + 1), next;
    const auto every = [&](auto&& visit) {
      for (const auto& part : problems_->parts()) {
        if (problems_->is_at_zero(part)) continue;
        const int k = part.newton->blocks().columns();
        const double* u = part.newton->duals().data();
        for (std::int64_t i = 0; i < part.newton->rows().size(); ++i, u += k)
          for (int m = 0; m < k; ++m)
            if (u[m] != 0) visit(part.newton->rows()[i], part.column + m, u[m]);
      }
    };
    every([&](std::int32_t row, int, double) { ++starts[row + 1]; });
    for (std::int64_t i = 0; i < count; ++i) starts[i + 1] += starts[i];
    next = starts;
    std::vector<std::int32_t> columns(starts.back());
    std::vector<double> values(starts.back());
    every([&](std::int32_t row, int column, double u) {
      columns[next[row]] = column;
      values[next[row]++] = u;
    });
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)),
                          to_numpy(std::move(values)));
  }

  void set_duals(Input<std::int64_t> starts, Input<std::int32_t> columns, Input<double> values) {
    check_dual_blocks<double>(starts, columns, values, problems_->rows().count,
                              problems_->columns());
    for (auto& part : problems_->parts()) {
      const auto& rows = part.newton->rows();
      const int k = part.newton->blocks().columns();
      std::vector<double> u(std::size_t(rows.size()) * k);
      for (std::int64_t i = 0; i < rows.size(); ++i)
        for (std::int64_t e = starts.data()[rows[i]]; e < starts.data()[rows[i] + 1]; ++e) {
          const int m = columns.data()[e] - part.column;
          if (m >= 0 && m < k) u[i * k + m] = values.data()[e];
        }
      part.newton->start(std::move(u));
    }
  }

  // For each problem, by how much the proximal steps have grown.
  nb::object growths() {
    first();
    std::vector<double> found;
    for (const auto& part : problems_->parts()) found.push_back(part.newton->growth());
    return to_numpy(std::move(found));
  }

  // Begins near a solution: weights of shape (features, columns), and growths as above.
  void start_near(Matrix weights, Input<double> growths) {
    const std::int64_t features = problems_->rows().features, columns = problems_->columns();
    auto& parts = problems_->parts();
    if (std::int64_t(weights.shape(0)) != features || std::int64_t(weights.shape(1)) != columns ||
        growths.shape(0) != parts.size())
      throw std::invalid_argument("there must be one weight per feature and column");
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const int k = parts[p].newton->blocks().columns();
      std::vector<double> of_part(std::size_t(features) * k);
      for (std::int64_t f = 0; f < features; ++f)
        std::copy_n(weights.data() + f * columns + parts[p].column, k, of_part.data() + f * k);
      parts[p].newton->start_near(std::move(of_part), growths.data()[p]);
    }
  }

  // Of a problem that is not divided, for tests: the projections of the last point, row by row, the
  // length with which they were made, and the solution of its system in one form.
  nb::tuple last_point() {
    first();
    const auto& newton = *problems_->parts().at(0).newton;
    return nb::make_tuple(to_numpy(std::vector<double>(newton.projections())), newton.length());
  }

  nb::object solution(const std::string& form, Input<double> right) {
    if (std::int64_t(right.shape(0)) != problems_->rows().features * problems_->columns())
      throw std::invalid_argument("there must be one entry per weight");
    const auto found = problems_->parts().at(0).newton->solution(
        form == "primal"            ? SystemForm::kPrimal
        : form == "class"           ? SystemForm::kByClass
        : form == "dual"            ? SystemForm::kDual
        : form == "conjugate_class" ? SystemForm::kConjugateByClass
                                    : SystemForm::kConjugateGradients,
        std::vector<double>(right.data(), right.data() + right.shape(0)));
    return found ? to_numpy(std::vector<double>(*found)) : nb::none();
  }

 private:
  nb::object owner_;  // of the rows
  std::unique_ptr<NewtonProblems> problems_;
};

template <class Value>
static double predicted_cost(const SystemPrediction& prediction, Input<std::int64_t> starts,
                             Input<std::int32_t> classes, Input<Value> values,
                             Input<double> loss_weights) {
  if (starts.shape(0) != loss_weights.shape(0) + 1 ||
      csr_fault(std::span(starts.data(), starts.shape(0)),
                std::span(classes.data(), classes.shape(0)), values.shape(0),
                prediction.columns) != nullptr)
    throw std::invalid_argument("there must be one block per row");
  return prediction.cost(std::span(starts.data(), starts.shape(0)),
                         std::span(classes.data(), classes.shape(0)),
                         std::span(values.data(), values.shape(0)),
                         std::span(loss_weights.data(), loss_weights.shape(0)));
}

void bind_newton(nb::module_& m) {
  nb::class_<SystemPrediction>(m, "SystemPrediction")
      .def(
          "__init__",
          [](SystemPrediction* prediction, double features, int columns, double entries,
             bool sparse, bool separate, bool coupled, bool relative, bool centred, bool bounded,
             bool entropy) {
            new (prediction) SystemPrediction{features, columns,  entries, sparse,  separate,
                                              coupled,  relative, centred, bounded, entropy};
          },
          "features"_a, "columns"_a, "entries"_a, "sparse"_a, "separate"_a, "coupled"_a,
          "relative"_a, "centred"_a, "bounded"_a, "entropy"_a)
      .def("cost", &predicted_cost<float>, "starts"_a, "classes"_a, "values"_a.noconvert(),
           "loss_weights"_a)
      .def("cost", &predicted_cost<double>, "starts"_a, "classes"_a, "values"_a.noconvert(),
           "loss_weights"_a);
  nb::class_<Blas>(m, "Blas").def(
      "__init__",
      [](Blas* blas, const nb::dict& functions) { new (blas) Blas(read_blas(functions)); },
      "functions"_a);
  nb::class_<PyDoubleRows>(m, "DoubleRows")
      .def(nb::init<const Blas&, Matrix>(), "blas"_a, "values"_a.noconvert())
      .def(nb::init<const Blas&, Input<double>, Input<std::int32_t>, Input<std::int64_t>,
                    std::int64_t>(),
           "blas"_a, "values"_a.noconvert(), "indices"_a.noconvert(), "starts"_a.noconvert(),
           "features"_a);
  nb::class_<PyNewton>(m, "Newton")
      .def(nb::init<nb::object, const MachineAxes&, Input<std::int32_t>, Input<double>, int,
                    const std::string&, double, bool, int, Input<std::int64_t>,
                    Input<std::int32_t>>(),
           "rows"_a, "machine"_a, "labels"_a, "loss_weights"_a, "columns"_a, "division"_a,
           "tolerance"_a, "by_violation"_a, "threads"_a, "set_starts"_a, "set_classes"_a)
      .def("epochs", &PyNewton::epochs, "seconds"_a, "most"_a)
      .def("first", &PyNewton::first)
      .def_prop_ro("has_started", &PyNewton::has_started)
      .def_prop_ro("dual", &PyNewton::dual)
      .def("certify", &PyNewton::certify, "single"_a)
      .def("weights", &PyNewton::weights)
      .def("duals", &PyNewton::duals)
      .def("set_duals", &PyNewton::set_duals, "indptr"_a, "columns"_a, "values"_a)
      .def("growths", &PyNewton::growths)
      .def("start_near", &PyNewton::start_near, "weights"_a, "growths"_a)
      .def("last_point", &PyNewton::last_point)
      .def("solution", &PyNewton::solution, "form"_a, "right"_a)
      .def_prop_ro("interrupted", [](const PyNewton& newton) { return newton.interrupted(); });
}

}  // namespace polymargin::bindings
