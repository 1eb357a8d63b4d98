// How the coefficients of a block come into the weights: w_m += b_m x_i. The weights may be shared
// with drivers of other rows, one of which runs at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>

#include "polymargin/access/rows.hpp"
#include "polymargin/machine/workspace.hpp"

namespace polymargin {

template <class Real, class W>
class WeightUpdates {
 public:
  WeightUpdates(std::shared_ptr<const Rows<Real>> rows, std::shared_ptr<W> weights)
      : rows_(std::move(rows)), weights_(std::move(weights)) {}

  W& weights() const { return *weights_; }
  const std::shared_ptr<W>& shared_weights() const { return weights_; }
  void share(std::shared_ptr<W> weights) { weights_ = std::move(weights); }

  // What a change of a block is multiplied with, on its way into the weights.
  void set_scale(Real scale) { scale_ = scale; }
  Real scale() const { return scale_; }

  // The change of a block as it comes into the weights, in place.
  const Real* scaled(Real* change, int count) const {
    if (scale_ != 1)
      for (int m = 0; m < count; ++m) change[m] *= scale_;
    return change;
  }

  // The change of a dense block, which is scaled in place.
  void add_change(std::int32_t i, Real* change) const {
    add_all(i, scaled(change, weights_->layout().stride));
  }
  // The change of the support of a block.
  void add_change(std::int32_t i, const std::int32_t* classes, int count, Real* change) const {
    rows_->add_to(i, *weights_, classes, count, scaled(change, count));
  }
  // With many classes few of them change: touches only those. Says whether one is new in the
  // support.
  bool add_change_sparsely(std::int32_t i, const Block<Real>& block,
                           Workspace<Real>& workspace) const {
    std::int32_t* classes = workspace.classes.data();
    Real* coefficients = workspace.arrays.data();
    int count = 0;
    bool entered = false;
    for_each_nonzero(block.change, block.layout.stride, [&](int m) {
      coefficients[count] = scale_ * block.change[m];
      classes[count++] = m;
      entered |= block.dual[m] != 0 && std::abs(block.change[m]) == block.dual[m];
    });
    add_listed(i, classes, count, coefficients, workspace);
    return entered;
  }

  void add_all(std::int32_t i, const Real* coefficients) const {
    rows_->add(i, *weights_, coefficients, 0, weights_->layout().packs);
  }
  // For listed classes; whole packs where that is less work.
  void add_listed(std::int32_t i, const std::int32_t* classes, int count, const Real* coefficients,
                  Workspace<Real>& workspace) const {
    const ClassLayout& layout = weights_->layout();
    if (count <= 2 * layout.packs) return rows_->add_to(i, *weights_, classes, count, coefficients);
    Real* spread = workspace.score.data();
    std::fill_n(spread, layout.stride, Real(0));
    for (int c = 0; c < count; ++c) spread[classes[c]] = coefficients[c];
    add_all(i, spread);
  }

 private:
  std::shared_ptr<const Rows<Real>> rows_;
  std::shared_ptr<W> weights_;
  Real scale_ = 1;
};

}  // namespace polymargin
