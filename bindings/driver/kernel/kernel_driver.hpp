// What the kernel drivers have in common as Python objects: the kernel cache, the dual blocks and
// the certificate. Kernel rows come from Python, as tiles of columns.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "driver/dual_blocks.hpp"
#include "driver/labels.hpp"
#include "polymargin/driver/kernel/decomposition.hpp"
#include "polymargin/machine/make_machine.hpp"

namespace polymargin::bindings {

using Examples = Input<std::int32_t>;

template <class Real, class Scores>
class PyKernelDriver : public Interruptible {
 public:
  PyKernelDriver(Input<Real> diagonal, Input<std::int32_t> labels, Input<double> loss_weights,
                 int classes, const MachineAxes& machine, double cache_bytes, int threads) {
    const std::size_t size = diagonal.shape(0);
    if (size > std::size_t(std::numeric_limits<std::int32_t>::max()) - 1)
      throw std::invalid_argument("X has too many rows for a kernel machine; train on fewer");
    check_labels(labels, loss_weights, size, machine.label_may_be_outside() ? -1 : 0, classes);
    std::vector<Example<Real>> examples(size);
    for (std::size_t i = 0; i < size; ++i)
      examples[i] = {diagonal.data()[i], Real(loss_weights.data()[i]), Real(0), labels.data()[i]};
    problem_ = std::make_unique<Decomposition<Real, Scores>>(
        std::move(examples), classes, make_machine<Real>(machine, "exact", 0),
        make_machine<double>(machine, "exact", 0), std::int64_t(cache_bytes), threads);
  }

  // Makes room for the rows of these examples and returns those that must be filled. There is room
  // for no more than capacity() examples at a time.
  nb::object reserve(Examples some) {
    auto& cache = problem_->cache();
    check_range(some);
    if (std::int64_t(some.shape(0)) > cache.capacity())
      throw std::invalid_argument("more examples than the cache has room for");
    std::vector<std::int32_t> missing;
    for (std::size_t p = 0; p < some.shape(0); ++p)
      if (!cache.find(some.data()[p])) missing.push_back(some.data()[p]);
    for (std::int32_t i : missing)
      if (!cache.find(i)) cache.insert(i);
    return to_numpy(std::move(missing));
  }

  // The rows of these examples have not been filled, and are no longer there.
  void forget(Examples some) {
    check_range(some);
    for (std::size_t p = 0; p < some.shape(0); ++p)
      if (problem_->cache().at(some.data()[p])) problem_->cache().forget(some.data()[p]);
  }

  // Columns first, first + 1, ... of the rows of these examples.
  void fill(Examples some, std::int64_t first,
            nb::ndarray<const Real, nb::ndim<2>, nb::c_contig, nb::device::cpu> tile) {
    const std::size_t width = tile.shape(1);
    if (tile.shape(0) != some.shape(0) || first < 0 ||
        first + std::int64_t(width) > problem_->cache().length())
      throw std::invalid_argument("a tile has the wrong shape");
    check_range(some);
    nb::gil_scoped_release released;
    for (std::size_t p = 0; p < some.shape(0); ++p)
      std::copy_n(tile.data() + p * width, width, problem_->cache().at(some.data()[p]) + first);
  }

  std::int64_t capacity() const { return problem_->cache().capacity(); }
  std::int64_t cached() const { return problem_->cache().size(); }
  nb::object columns() const { return to_numpy(problem_->columns()); }
  nb::object support() { return to_numpy(problem_->support()); }
  void restore_columns() { problem_->restore_columns(); }
  void clear_scores() { problem_->clear_scores(); }

  // Adds the blocks of these examples, whose rows are in the cache, to all scores.
  void add_blocks(Examples some) {
    check_range(some);
    nb::gil_scoped_release released;
    problem_->add_blocks({some.data(), some.shape(0)});
  }

  // (primal, dual, violation) of the scores as they are.
  nb::object certify() {
    return certificate([&](const auto&) { return problem_->certify(); });
  }

  // The dual blocks as CSR: (indptr, classes, values).
  nb::tuple duals() {
    std::vector<std::int64_t> starts{0};
    std::vector<std::int32_t> classes;
    std::vector<Real> values;
    for (std::int32_t i = 0; i < std::int32_t(problem_->size()); ++i) {
      const Real* block = problem_->dual(i);
      for (std::int32_t m = 0; m < problem_->layout().classes; ++m)
        if (block[m] != 0) {
          classes.push_back(m);
          values.push_back(block[m]);
        }
      starts.push_back(std::int64_t(values.size()));
    }
    return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(classes)),
                          to_numpy(std::move(values)));
  }

  // The scores must be built again after this.
  void set_duals(Input<std::int64_t> starts, Input<std::int32_t> classes, Input<double> values) {
    check_dual_blocks<Real>(starts, classes, values, problem_->size(), problem_->layout().classes);
    for (std::int32_t i = 0; i < std::int32_t(problem_->size()); ++i) {
      if (!problem_->has_variables(i)) continue;
      std::fill_n(problem_->dual(i), problem_->layout().stride, Real(0));
      for (std::int64_t p = starts.data()[i]; p < starts.data()[i + 1]; ++p)
        problem_->dual(i)[classes.data()[p]] = Real(values.data()[p]);
    }
  }

 protected:
  void check_range(const Examples& some) const {
    for (std::size_t p = 0; p < some.shape(0); ++p)
      if (some.data()[p] < 0 || some.data()[p] >= problem_->size())
        throw std::invalid_argument("an example is out of range");
  }

  std::unique_ptr<Decomposition<Real, Scores>> problem_;
};

}  // namespace polymargin::bindings
