// What the kernel drivers share: dual blocks, the scores of the examples, and the kernel rows that
// carry a change of a block to the scores of all others. Scores are kept for the examples in
// `columns`, all of them unless a driver has shrunk the problem.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "polymargin/access/kernel_cache.hpp"
#include "polymargin/access/scores_by_example.hpp"
#include "polymargin/base/aligned.hpp"
#include "polymargin/certify/precise_blocks.hpp"
#include "polymargin/machine/workspace.hpp"

namespace polymargin {

// `Scores` is ScoresByExample or ScoresByClass.
template <class Real, class Scores = ScoresByExample<Real>>
class Decomposition {
 public:
  // The curvature of an example is k(x_i, x_i). `precise` is the same machine, for certificates.
  Decomposition(std::vector<Example<Real>> examples, int classes,
                std::shared_ptr<const Machine<Real>> machine,
                std::shared_ptr<const Machine<double>> precise, std::int64_t cache_bytes,
                int threads)
      : examples_(std::move(examples)),
        layout_(ClassLayout::of<Real>(classes)),
        machine_(std::move(machine)),
        precise_(std::move(precise), classes),
        threads_(threads),
        cache_(size(), size(), cache_bytes),
        columns_(examples_.size()),
        column_of_(examples_.size()),
        scores_(layout_, size()),
        duals_(examples_.size() * layout_.stride),
        score_(layout_.stride),
        change_(layout_.stride),
        arrays_(std::size_t(layout_.stride) * kWorkspaceArrays) {
    for (Example<Real>& example : examples_)
      example.loss = Real(machine_->loss_at_zero(layout_.classes, example.label));
    std::iota(columns_.begin(), columns_.end(), 0);
    number_columns();
    rebuild_dual();
  }

  std::int64_t size() const { return std::int64_t(examples_.size()); }
  const ClassLayout& layout() const { return layout_; }
  const Machine<Real>& machine() const { return *machine_; }
  std::vector<Example<Real>>& examples() { return examples_; }
  KernelCache<Real>& cache() { return cache_; }
  int threads() const { return threads_; }

  // An example that is zero in the space of the kernel has the same scores whatever the others do.
  bool has_variables(std::int32_t i) const { return examples_[i].has_variables(); }

  const std::vector<std::int32_t>& columns() const { return columns_; }
  bool shrunk() const { return columns_.size() < examples_.size(); }
  std::int64_t orders() const { return orders_; }  // how often the columns have changed
  std::int32_t column_of(std::int32_t i) const { return column_of_[i]; }  // -1 if it has none

  Scores& scores() { return scores_; }  // by columns
  // Of an example that has a column; valid until the next call.
  const Real* score(std::int32_t i) { return scores_.read(column_of_[i], score_.data()); }
  Real* dual(std::int32_t i) { return duals_.data() + std::int64_t(i) * stride(); }

  Block<Real> block(std::int32_t i, const Real* score) {
    const Example<Real>& example = examples_[i];
    return {layout_, example.label, example.curvature, example.loss_weight,
            score,   dual(i),       change_.data(),    arrays_.data()};
  }

  // Loss and violation of an example that has a column.
  Step<Real> measure(std::int32_t i) {
    return machine_->step(block(i, score(i)), std::numeric_limits<Real>::infinity());
  }

  // Adds the kernel rows of `changed`, which are in the cache, times `coefficients` to all scores.
  void add_to_scores(std::span<const std::int32_t> changed, const Real* coefficients) {
    gather_rows(changed);
    scores_.add(rows_, coefficients, threads_);
  }

  // Scores from nothing: clear them, then add the blocks of all of support(), some at a time. Their
  // kernel rows are in the cache, or given, and then only for the first `count` columns.
  void clear_scores() { scores_.clear(); }
  void add_blocks(std::span<const std::int32_t> some) {
    gather_rows(some);
    scores_.add_precisely(rows_, coefficients_of(some).data(), precise_.stride(), threads_);
  }
  void add_blocks(std::span<const std::int32_t> some, std::span<const Real* const> rows,
                  std::int64_t count) {
    scores_.add_precisely(rows, coefficients_of(some).data(), precise_.stride(), threads_, count);
  }

  // Examples whose block is not zero.
  std::vector<std::int32_t> support() {
    std::vector<std::int32_t> found;
    for (std::int32_t i = 0; i < std::int32_t(size()); ++i)
      if (std::any_of(dual(i), dual(i) + stride(), [](Real u) { return u != 0; }))
        found.push_back(i);
    return found;
  }

  // Keeps the scores, and the columns of the cache, of the listed examples only.
  void keep_columns(std::span<const std::int32_t> kept) {
    std::vector<std::int32_t> positions;
    Scores scores(layout_, std::int64_t(kept.size()));
    for (std::size_t c = 0; c < kept.size(); ++c) {
      positions.push_back(column_of_[kept[c]]);
      scores.write(std::int64_t(c), score(kept[c]));
    }
    cache_.keep_columns(positions);
    scores_ = std::move(scores);
    columns_.assign(kept.begin(), kept.end());
    number_columns();
  }

  // Puts the first columns into another order, column c what order[c] was; not those of the cache.
  void reorder_columns(std::span<const std::int32_t> order) {
    const std::vector<std::int32_t> columns(columns_.begin(), columns_.begin() + order.size());
    Scores scores(layout_, std::int64_t(order.size()));
    for (std::size_t c = 0; c < order.size(); ++c) {
      columns_[c] = columns[order[c]];
      scores.write(std::int64_t(c), scores_.read(order[c], score_.data()));
    }
    for (std::size_t c = 0; c < order.size(); ++c)
      scores_.write(std::int64_t(c), scores.read(std::int64_t(c), score_.data()));
    number_columns();
  }

  // All examples have columns again; their scores are zero and the cache is empty.
  void restore_columns() {
    columns_.resize(examples_.size());
    std::iota(columns_.begin(), columns_.end(), 0);
    number_columns();
    scores_.resize(size());
    cache_.clear(size());
  }

  // The dual objective without -1/2 |W|^2, from the blocks.
  void rebuild_dual() {
    Tally tally;
    for (std::int32_t i = 0; i < std::int32_t(size()); ++i)
      precise_.add_dual_term(examples_[i], dual(i), tally);
    linear_ = tally.dual_terms;
  }

  // Of the scores as they are, which must be those of all examples. The running values become those
  // of the certificate.
  Certificate certify() {
    rebuild_dual();
    Tally tally;
    tally.dual_terms = linear_;
    double norm = 0;
    for (std::int32_t i = 0; i < std::int32_t(size()); ++i) {
      scores_.read_precisely(column_of_[i], precise_.score());
      const double violation = double(measure(i).violation);
      examples_[i].loss = Real(precise_.add(examples_[i], dual(i), violation, tally));
      if (has_variables(i)) norm += precise_.norm_term(examples_[i], dual(i));
    }
    half_norm_ = norm / 2;
    return tally.certificate(half_norm_);
  }

  // Running values, exact up to rounding.
  double dual() const { return linear_ - half_norm_; }
  double half_norm() const { return half_norm_; }
  void count(const Step<Real>& step) { count(double(step.gain), double(step.norm_change)); }
  void count(double gain, double norm_change) {
    linear_ += gain + norm_change;
    half_norm_ += norm_change;
  }

 private:
  // The coefficients of blocks, one after the other, each padded.
  AlignedArray<double> coefficients_of(std::span<const std::int32_t> some) {
    AlignedArray<double> coefficients(some.size() * precise_.stride());
    for (std::size_t p = 0; p < some.size(); ++p)
      precise_.coefficients(examples_[some[p]], dual(some[p]),
                            coefficients.data() + p * precise_.stride());
    return coefficients;
  }

  void gather_rows(std::span<const std::int32_t> some) {
    rows_.clear();
    for (std::int32_t i : some) rows_.push_back(cache_.at(i));
  }

  std::int64_t stride() const { return layout_.stride; }

  void number_columns() {
    ++orders_;
    std::fill(column_of_.begin(), column_of_.end(), -1);
    for (std::size_t c = 0; c < columns_.size(); ++c) column_of_[columns_[c]] = std::int32_t(c);
  }

  std::vector<Example<Real>> examples_;
  ClassLayout layout_;
  std::shared_ptr<const Machine<Real>> machine_;
  PreciseBlocks precise_;
  int threads_;
  KernelCache<Real> cache_;
  std::vector<std::int32_t> columns_, column_of_;
  Scores scores_;
  AlignedArray<Real> duals_, score_, change_, arrays_;
  std::vector<const Real*> rows_;  // of the cache
  std::int64_t orders_ = 0;
  double linear_ = 0, half_norm_ = 0;
};

}  // namespace polymargin
