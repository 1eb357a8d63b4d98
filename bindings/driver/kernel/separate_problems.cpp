// Separate binary problems on one matrix of kernel values as a Python object.
#include "polymargin/driver/kernel/separate_problems.hpp"

#include <algorithm>
#include <limits>

#include "core.hpp"
#include "driver/dual_blocks.hpp"

using namespace nanobind::literals;

namespace polymargin::bindings {

// Examples come class after class; `rows` are their rows in Python.
template <class Real>
class PySeparateProblems : public Interruptible {
 public:
  using Matrix = nb::ndarray<const Real, nb::ndim<2>, nb::device::cpu>;

  PySeparateProblems(Input<std::int32_t> rows, Input<std::int64_t> sizes,
                     Input<double> loss_weights, bool by_pairs, double tolerance, bool by_violation,
                     bool squared, bool shrinking, bool in_pairs, double room, int threads)
      : rows_(rows.data(), rows.data() + rows.shape(0)),
        problems_({loss_weights.data(), loss_weights.data() + loss_weights.shape(0)},
                  {{tolerance, by_violation}, squared, shrinking, in_pairs, room, threads}) {
    const auto count = std::int64_t(rows_.size());
    const auto belongs = [&](std::int64_t value) { return 0 <= value && value <= count; };
    if (!std::all_of(sizes.data(), sizes.data() + sizes.shape(0), belongs) ||
        !std::all_of(rows_.begin(), rows_.end(), [&](auto i) { return 0 <= i && i < count; }))
      throw std::invalid_argument("sizes or rows are out of range");
    std::vector<std::int32_t> starts{0};
    for (std::size_t c = 0; c < sizes.shape(0); ++c)
      starts.push_back(starts.back() + std::int32_t(sizes.data()[c]));
    if (starts.back() != std::int32_t(rows_.size()) || loss_weights.shape(0) != rows_.size())
      throw std::invalid_argument("sizes, rows and loss_weights must be of the same examples");
    const std::int32_t classes = std::int32_t(sizes.shape(0)), end = starts.back();
    if (by_pairs) {
      for (std::int32_t a = 0; a < classes; ++a)
        for (std::int32_t b = a + 1; b < classes; ++b)
          problems_.add({{starts[a], starts[a + 1], false}, {starts[b], starts[b + 1], true}});
    } else {
      for (std::int32_t c = 0; c < classes; ++c)
        problems_.add(
            {{0, starts[c], false}, {starts[c], starts[c + 1], true}, {starts[c + 1], end, false}});
    }
  }

  EpochReport epoch(Matrix matrix, double seconds) {
    const GramMatrix<Real> gram = checked(matrix, std::int64_t(rows_.size()));
    return run_epoch(seconds, [&](const auto& poll) { return problems_.epoch(gram, poll); });
  }

  // Of one problem, whose own examples the matrix is of.
  EpochReport epoch_of(std::int64_t p, Matrix matrix, double seconds) {
    if (p < 0 || p >= std::int64_t(problems_.problems().size()))
      throw std::invalid_argument("there is no such problem");
    const GramMatrix<Real> gram = checked(matrix, problems_.problems()[p].size());
    return run_epoch(seconds, [&](const auto& poll) { return problems_.epoch_of(p, gram, poll); });
  }

  std::vector<std::int64_t> unfinished() {
    std::vector<std::int64_t> found;
    for (std::size_t p = 0; p < problems_.problems().size(); ++p)
      if (!problems_.problems()[p].finished) found.push_back(std::int64_t(p));
    return found;
  }

  nb::tuple certify() const {
    const Certificate sum = problems_.certificate();
    return nb::make_tuple(sum.primal, sum.dual, sum.violation);
  }

  // The dual variables as CSR, a column for each problem: (indptr, problems, values).
  nb::tuple duals() {
    std::vector<std::int64_t> starts(rows_.size() + 1);
    for_each_dual([&](std::int64_t, std::int32_t row, double) { ++starts[row + 1]; });
    for (std::size_t row = 0; row < rows_.size(); ++row) starts[row + 1] += starts[row];
    std::vector<std::int32_t> columns(starts.back());
    std::vector<Real> values(starts.back());
    std::vector<std::int64_t> next(starts);
    for_each_dual([&](std::int64_t p, std::int32_t row, double value) {
      columns[next[row]] = std::int32_t(p);
      values[next[row]++] = Real(value);
    });
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(columns)),
                          to_numpy(std::move(values)));
  }

  void set_duals(Input<std::int64_t> starts, Input<std::int32_t> columns, Input<double> values) {
    auto& problems = problems_.problems();
    check_dual_blocks<Real>(starts, columns, values, std::int64_t(rows_.size()),
                            std::int64_t(problems.size()));
    std::vector<std::int64_t> next(starts.data(), starts.data() + rows_.size());
    for (std::size_t p = 0; p < problems.size(); ++p) {
      problems[p].duals.assign(problems[p].size(), 0.0);
      problems[p].finished = false;
      problems[p].for_each([&](std::int32_t at, std::int32_t i, bool) {
        std::int64_t& entry = next[rows_[i]];
        const std::int64_t end = starts.data()[rows_[i] + 1];
        while (entry < end && columns.data()[entry] < std::int32_t(p)) ++entry;
        if (entry < end && columns.data()[entry] == std::int32_t(p))
          problems[p].duals[at] = values.data()[entry];
      });
      constexpr double kUnknown = std::numeric_limits<double>::infinity();
      problems[p].certificate = {kUnknown, -kUnknown, kUnknown};  // until it is trained
    }
  }

 private:
  template <class F>
  void for_each_dual(F&& f) {
    auto& problems = problems_.problems();
    for (std::size_t p = 0; p < problems.size(); ++p)
      if (!problems[p].duals.empty())
        problems[p].for_each([&](std::int32_t at, std::int32_t i, bool) {
          if (problems[p].duals[at] > 0) f(std::int64_t(p), rows_[i], problems[p].duals[at]);
        });
  }

  static GramMatrix<Real> checked(const Matrix& matrix, std::int64_t size) {
    const std::int64_t stride = matrix.stride(0);
    const std::int64_t lanes = GramRows<Real>::kLanes;
    if (std::int64_t(matrix.shape(0)) != size || std::int64_t(matrix.shape(1)) < size ||
        matrix.stride(1) != 1 || stride < std::int64_t(matrix.shape(1)) ||
        std::int64_t(matrix.shape(1)) < GramRows<Real>::padded(size) || stride % lanes != 0)
      throw std::invalid_argument("the kernel matrix has the wrong shape");
    return {matrix.data(), size, stride};
  }

  std::vector<std::int32_t> rows_;
  SeparateProblems<Real> problems_;
};

template <class Real>
static void bind(nb::module_& m, const char* name) {
  using Driver = PySeparateProblems<Real>;
  nb::class_<Driver>(m, name)
      .def(nb::init<Input<std::int32_t>, Input<std::int64_t>, Input<double>, bool, double, bool,
                    bool, bool, bool, double, int>(),
           "rows"_a, "sizes"_a, "loss_weights"_a, "by_pairs"_a, "tolerance"_a, "by_violation"_a,
           "squared"_a, "shrinking"_a, "in_pairs"_a, "room"_a, "threads"_a)
      .def("epoch", &Driver::epoch, "matrix"_a, "seconds"_a)
      .def("epoch_of", &Driver::epoch_of, "problem"_a, "matrix"_a, "seconds"_a)
      .def("unfinished", [](Driver& driver) { return to_numpy(driver.unfinished()); })
      .def("certify", &Driver::certify)
      .def("duals", &Driver::duals)
      .def("set_duals", &Driver::set_duals, "indptr"_a, "problems"_a, "values"_a)
      .def_prop_ro("interrupted", [](const Driver& driver) { return driver.interrupted(); });
}

void bind_separate_problems(nb::module_& m) {
  bind<float>(m, "SeparateProblems32");
  bind<double>(m, "SeparateProblems64");
}

}  // namespace polymargin::bindings
