// Blocks of a kernel machine measured in double precision, whatever its driver computes in. A loss
// is counted C_i times: with a large C, what float rounds off a score of one is more than the gap.
#pragma once

#include <limits>
#include <memory>

#include "polymargin/base/aligned.hpp"
#include "polymargin/certify/tally.hpp"

namespace polymargin {

class PreciseBlocks {
 public:
  PreciseBlocks(std::shared_ptr<const Machine<double>> machine, int classes)
      : machine_(std::move(machine)),
        layout_(ClassLayout::of<double>(classes)),
        score_(layout_.stride),
        dual_(layout_.stride),
        change_(layout_.stride),
        arrays_(std::size_t(layout_.stride) * kWorkspaceArrays),
        index_(classes) {}

  // To be filled with the scores of the next example.
  double* score() { return score_.data(); }

  // Adds an example with these scores; `violation` is what the driver's own machine says, which
  // knows which variables are at a bound but for its rounding. Returns the loss.
  template <class Real>
  double add(const Example<Real>& example, const Real* dual, double violation, Tally& tally) {
    const Block<double> block = read(example, dual);
    const double loss = machine_->step(block, std::numeric_limits<double>::infinity()).loss;
    tally.add_loss(example, loss, violation);
    return loss;
  }

  // b.s: over all examples, these sum to |W|^2.
  template <class Real>
  double norm_term(const Example<Real>& example, const Real* dual) {
    coefficients(example, dual, change_.data());
    double sum = 0;
    for (int m = 0; m < layout_.classes; ++m) sum += change_[m] * score_[m];
    return sum;
  }

  // The coefficients b of a block, padded to stride().
  template <class Real>
  void coefficients(const Example<Real>& example, const Real* dual, double* into) {
    Block<double> block = read(example, dual);
    block.change = into;
    machine_->coefficients(block);
  }
  std::int64_t stride() const { return layout_.stride; }

  template <class Real>
  void add_dual_term(const Example<Real>& example, const Real* dual, Tally& tally) {
    const auto at_zero = [&](int label) { return machine_->loss_at_zero(layout_.classes, label); };
    tally.add_dual_term(example, at_zero, [&] {
      int count = 0;
      for (int m = 0; m < layout_.classes; ++m) {
        if (dual[m] == 0) continue;
        index_[count] = m;
        dual_[count++] = double(dual[m]);
      }
      return machine_->dual_term({layout_.classes, example.label, double(example.loss_weight),
                                  count, index_.data(), dual_.data()});
    });
  }

 private:
  template <class Real>
  Block<double> read(const Example<Real>& example, const Real* dual) {
    std::copy_n(dual, layout_.classes, dual_.data());
    std::fill(dual_.data() + layout_.classes, dual_.data() + layout_.stride, 0.0);
    return {layout_,
            example.label,
            double(example.curvature),
            double(example.loss_weight),
            score_.data(),
            dual_.data(),
            change_.data(),
            arrays_.data()};
  }

  std::shared_ptr<const Machine<double>> machine_;
  ClassLayout layout_;
  AlignedArray<double> score_, dual_, change_, arrays_;
  std::vector<std::int32_t> index_;
};

}  // namespace polymargin
