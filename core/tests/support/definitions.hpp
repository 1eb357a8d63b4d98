// The machines as DESIGN.md, section 2 defines them, in long double and without any of their code.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "blocks.hpp"

namespace polymargin::test {

using Vector = std::vector<Wide>;

inline Wide sum_of(const Vector& values) {
  Wide sum = 0;
  for (Wide value : values) sum += value;
  return sum;
}

// For an example of class y with scores s and dual block u. Other than in DESIGN.md, cs is written
// with u_m = -a_m for m != y, whose sum is a_y, and maxent with u_m = a_m for m != y, which leave
// C_i - sum u to the label. In ovr y may be -1: none of the classes. Scores of machines whose
// weights sum to zero do so, too.
class Definition {
 public:
  Definition(std::string_view machine, std::string_view loss)
      : machine_(machine),
        relative_(is_one_of({"cs", "ww", "maxent"})),
        sum_to_zero_(is_one_of({"llw", "adm", "ats", "atm", "mmr", "rm"})),
        maximum_(is_one_of({"cs", "maxent", "adm", "atm"})),
        squared_(loss == "squared_hinge"),
        entropic_(loss == "logistic" || loss == "log") {}

  bool squared() const { return squared_; }
  bool entropic() const { return entropic_; }
  bool one_slack() const { return maximum_; }
  bool sums_to_zero() const { return sum_to_zero_; }
  bool relative() const { return relative_; }
  // Then a single class is a problem, too.
  bool label_may_be_outside() const { return machine_ == "ovr"; }
  bool label_has_variable() const { return is_one_of({"ovr", "ats", "atm", "mmr", "rm"}); }
  bool has_variable(int m, int y) const {
    return m == y ? label_has_variable() : machine_ != "mmr";
  }
  Wide target(int m, int y, int k) const {
    if (is_one_of({"llw", "adm"})) return 1 / Wide(k - 1);
    return machine_ == "rm" && m == y ? Wide(k - 1) : Wide(1);
  }
  // Of machines whose variables all have one sign.
  Wide rho(int k) const { return relative_ ? Wide(1) : sum_to_zero_ ? -1 / Wide(k) : Wide(0); }

  // What the loss is made of: by how much each class fails its margin, of zero if entropic.
  Vector margins(const Vector& s, int y) const {
    Vector h(s.size(), kNone);
    for (int m = 0; m < int(s.size()); ++m) {
      if (!has_variable(m, y)) continue;
      const Wide margin = entropic_ ? 0 : target(m, y, int(s.size()));
      h[m] = margin - (relative_ ? s[y] - s[m] : m == y ? s[m] : -s[m]);
    }
    return h;
  }

  Vector coefficients(const Vector& u, int y) const {
    Vector b(u.size());
    for (int m = 0; m < int(u.size()); ++m) b[m] = m == y ? u[m] : -u[m];
    if (relative_) b[y] = sum_of(u);
    if (!sum_to_zero_) return b;
    const Wide mean = sum_of(b) / b.size();
    for (Wide& value : b) value -= mean;
    return b;
  }

  Wide loss(const Vector& h) const {
    if (entropic_) return entropic_loss(h);
    Wide total = 0, largest = 0;
    for (Wide margin : h) {
      const Wide slack = std::max(margin, Wide(0));
      total += squared_ ? slack * slack : slack;
      largest = std::max(largest, slack);
    }
    return !maximum_ ? total : squared_ ? largest * largest : largest;
  }

  // The example's term of the dual objective: conjugate to the loss.
  Wide term(const Vector& u, int y, Wide loss_weight) const {
    if (entropic_) return entropic_term(u, loss_weight);
    Wide squares = 0, targets = 0;
    const Wide sum = sum_of(u);
    for (int m = 0; m < int(u.size()); ++m) {
      squares += u[m] * u[m];
      targets += target(m, y, int(u.size())) * u[m];
    }
    if (maximum_) squares = sum * sum;
    return targets - (squared_ ? squares / (4 * loss_weight) : 0);
  }

  // The derivatives of the dual objective by u.
  Vector slopes(Vector h, const Vector& u, Wide loss_weight) const {
    if (!squared_) return h;
    const Wide sum = sum_of(u);
    for (std::size_t m = 0; m < u.size(); ++m) h[m] -= (maximum_ ? sum : u[m]) / (2 * loss_weight);
    return h;
  }

  // The largest slope that leads into the feasible set; with the largest hinge, between two
  // variables, one of which may be the slack C_i - sum u. A slack below `rounding` is none. If
  // entropic, how far the shares are from the probabilities of the scores.
  Wide violation(const Vector& h, const Vector& u, Wide loss_weight, Wide rounding) const {
    if (entropic_) return entropic_violation(h, u, loss_weight);
    const Vector slope = slopes(h, u, loss_weight);
    if (maximum_ && !squared_) {
      Wide least =
          sum_of(u) < loss_weight * (1 - rounding) ? 0 : std::numeric_limits<Wide>::infinity();
      for (std::size_t m = 0; m < u.size(); ++m)
        if (u[m] > 0) least = std::min(least, h[m]);
      return loss(h) - least;
    }
    Wide worst = 0;
    for (std::size_t m = 0; m < u.size(); ++m) {
      if (u[m] > 0) worst = std::max(worst, -slope[m]);
      if (squared_ || u[m] < loss_weight) worst = std::max(worst, slope[m]);
    }
    return worst;
  }

  bool feasible(const Vector& u, int y, Wide loss_weight, Wide rounding) const {
    for (int m = 0; m < int(u.size()); ++m) {
      if (!(u[m] >= 0) || (!has_variable(m, y) && u[m] != 0)) return false;
      if (!squared_ && !maximum_ && u[m] > loss_weight) return false;
    }
    return squared_ || !maximum_ || sum_of(u) <= loss_weight * (1 + rounding);
  }

 private:
  static constexpr Wide kNone = -std::numeric_limits<Wide>::infinity();

  bool is_one_of(std::initializer_list<std::string_view> names) const {
    return std::find(names.begin(), names.end(), machine_) != names.end();
  }

  static Wide log_of_sum(const Vector& h) {  // log(1 + sum exp(h))
    const Wide highest = std::max(*std::max_element(h.begin(), h.end()), Wide(0));
    Wide sum = std::exp(-highest);
    for (Wide margin : h) sum += std::exp(margin - highest);
    return highest + std::log(sum);
  }
  Wide entropic_loss(const Vector& h) const {
    if (maximum_) return log_of_sum(h);
    Wide sum = 0;
    for (Wide margin : h)
      sum += std::max(margin, Wide(0)) + std::log1p(std::exp(-std::fabs(margin)));
    return sum;
  }
  Wide entropic_term(const Vector& u, Wide loss_weight) const {
    const auto entropy = [](Wide share) { return share > 0 ? -share * std::log(share) : 0; };
    Wide sum = maximum_ ? entropy(1 - sum_of(u) / loss_weight) : 0;
    for (Wide value : u)
      sum += entropy(value / loss_weight) + (maximum_ ? 0 : entropy(1 - value / loss_weight));
    return loss_weight * sum;
  }
  Wide entropic_violation(const Vector& h, const Vector& u, Wide loss_weight) const {
    const Wide partition = log_of_sum(h);
    Wide worst = 0;
    if (maximum_) worst = std::fabs(1 - sum_of(u) / loss_weight - std::exp(-partition));
    for (std::size_t m = 0; m < u.size(); ++m) {
      const Wide share = maximum_ ? std::exp(h[m] - partition) : 1 / (1 + std::exp(-h[m]));
      worst = std::max(worst, std::fabs(u[m] / loss_weight - share));
    }
    return worst;
  }

  std::string machine_;
  bool relative_, sum_to_zero_, maximum_, squared_, entropic_;
};

}  // namespace polymargin::test
