// Primal and dual objective as they run along with the visits: each adds what it has gained, and
// replaces the loss that was last seen of its example.
#pragma once

#include <vector>

#include "polymargin/driver/report.hpp"
#include "polymargin/machine/workspace.hpp"

namespace polymargin {

class RunningObjective {
 public:
  double dual() const { return dual_; }
  double half_norm() const { return half_norm_; }  // 1/2 |W|^2
  double dual_terms() const { return dual_ + half_norm_; }

  // An example whose dual variables are zero, with the loss it has at W = 0.
  template <class Real>
  void add(const Example<Real>& example) {
    loss_sum_ += double(example.loss_weight) * double(example.loss);
    if (example.is_empty()) dual_ += double(example.loss_weight) * double(example.loss);
  }

  // Over the support alone the loss is a lower bound, but nearly always the loss.
  template <class Real>
  void count(const Step<Real>& step, Example<Real>& example) {
    if (step.moved) {
      dual_ += double(step.gain);
      half_norm_ += double(step.norm_change);
    }
    loss_sum_ += double(example.loss_weight) * (double(step.loss) - double(example.loss));
    example.loss = step.loss;
  }

  // Values that have been computed from nothing.
  void set_dual(double dual_terms, double half_norm) {
    half_norm_ = half_norm;
    dual_ = dual_terms - half_norm;
  }
  void set_half_norm(double half_norm) {
    dual_ += half_norm_ - half_norm;
    half_norm_ = half_norm;
  }
  template <class Real>
  void set_losses(std::vector<Example<Real>>& examples, const std::vector<Real>& losses) {
    loss_sum_ = 0;
    for (std::size_t i = 0; i < examples.size(); ++i) {
      examples[i].loss = losses[i];
      loss_sum_ += double(examples[i].loss_weight) * double(losses[i]);
    }
  }

  void write(EpochReport& report) const {
    report.dual = dual_;
    report.half_norm = half_norm_;
    report.loss_sum = loss_sum_;
  }

 private:
  double dual_ = 0, half_norm_ = 0, loss_sum_ = 0;
};

}  // namespace polymargin
