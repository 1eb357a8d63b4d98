// How often each kind of step is made (001, section 2.2). The next kind is drawn at random: with
// fixed weights, or with weights that follow how much the dual has gained by it lately per cost.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

#include "polymargin/base/random.hpp"

namespace polymargin {

enum class StepKind { fresh, old, optimize };  // processNew, processOld, processOptimize
inline constexpr int kStepKinds = 3;

class StepRates {
 public:
  using Weights = std::array<double, kStepKinds>;

  StepRates(const Weights& weights, bool adaptive) : weights_(weights), adaptive_(adaptive) {}

  StepKind draw(Random& random) {
    if (adaptive_) keep_all_possible();
    double left = random.uniform() * sum();
    for (int kind = 0; kind + 1 < kStepKinds; ++kind) {
      if (left < weights_[kind]) return StepKind(kind);
      left -= weights_[kind];
    }
    return StepKind(kStepKinds - 1);
  }

  void learn(StepKind kind, double gain, double cost) {
    if (!adaptive_ || !(cost > 0)) return;
    double& weight = weights_[int(kind)];
    weight += kRelaxation * (gain / cost - weight);
  }

  const Weights& weights() const { return weights_; }
  void set_weights(const Weights& weights) { weights_ = weights; }

 private:
  // The paper speaks of "slowly relaxing linear dynamical systems" and gives no numbers: these are
  // ours.
  static constexpr double kRelaxation = 0.05;
  static constexpr double kLeastShare = 0.05;  // of the draws, for every kind

  double sum() const { return std::accumulate(weights_.begin(), weights_.end(), 0.0); }

  // Where nothing is gained at all, all kinds are alike. Raising all but one of the weights to the
  // least makes the sum larger, of which it still has to be its share.
  void keep_all_possible() {
    const double total = sum(), least = kLeastShare / (1 - (kStepKinds - 1) * kLeastShare) * total;
    for (double& weight : weights_) weight = total > 0 ? std::max(weight, least) : 1.0;
  }

  Weights weights_;
  bool adaptive_;
};

}  // namespace polymargin
