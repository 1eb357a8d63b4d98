// The same machines in beta and in u: gradients, feasible set and dual objective.
#include <stdexcept>

#include "axes.hpp"
#include "blocks.hpp"
#include "polymargin/machine/exchange_machine.hpp"

namespace polymargin::test::test_exchange_machine {

void check_block(Source& source, const char* name, const char* loss, int classes) {
  const int label = source.integer(0, classes - 1);
  const double loss_weight = source.power_of_ten(-1, 1);
  const ClassLayout layout = ClassLayout::of<double>(classes);
  AlignedArray<double> score(layout.stride), dual(layout.stride), beta(layout.stride),
      arrays(std::size_t(layout.stride) * kWorkspaceArrays);
  std::vector<std::int32_t> index;
  std::vector<double> value;
  for (int m = 0; m < classes; ++m) {
    score[m] = source.bell();
    if (m == label || source.chance(0.5)) continue;
    dual[m] = loss_weight / classes;
    index.push_back(m);
    value.push_back(dual[m]);
  }
  const auto machine = machine_of<double>(name, loss, classes);
  const Block<double> block{layout,       label,       1.0,         loss_weight,
                            score.data(), dual.data(), beta.data(), arrays.data()};
  machine->coefficients(block);
  const auto term = [&](const std::vector<double>& values) {
    return machine->dual_term(
        {classes, label, loss_weight, int(values.size()), index.data(), values.data()});
  };

  const ExchangeMachine exchanges(axes_of(name, loss, classes));
  const auto gradient = [&](int m) {
    return exchanges.gradient(m == label, loss_weight, score[m], beta[m]);
  };
  double sum = 0, term_of_beta = 0;
  for (int m = 0; m < classes; ++m) {
    const bool own = m == label;
    CHECK_AT_MOST(beta[m], exchanges.upper(own, loss_weight) * (1 + 1e-12));
    CHECK_AT_MOST(exchanges.lower(own, loss_weight), beta[m] + 1e-12 * loss_weight);
    sum += beta[m];
    term_of_beta += exchanges.target(own) * beta[m] -
                    exchanges.penalty(own, loss_weight) * beta[m] * beta[m] / 2;
  }
  CHECK_NEAR(sum, 0, 1e-12 * loss_weight);
  CHECK_NEAR(term_of_beta, term(value), 1e-12 * loss_weight);
  // From the definition: the derivative by u_m of the term, less that of 1/2 |W|^2.
  for (std::size_t c = 0; c < index.size(); ++c) {
    const double h = 1e-4 * loss_weight;
    std::vector<double> more = value, less = value;
    more[c] += h;
    less[c] -= h;
    const double slope = (term(more) - term(less)) / (2 * h) - (score[label] - score[index[c]]);
    CHECK_NEAR(gradient(label) - gradient(index[c]), slope, 1e-8);
  }
}

void run_tests() {
  Source source(3);
  for (const char* name : {"cs", "ww"})
    for (const char* loss : {"hinge", "squared_hinge"})
      for (int classes : {2, 3, 9, 40})
        for (int round = 0; round < 50; ++round) check_block(source, name, loss, classes);
  for (const char* name : {"llw", "ovr", "adm", "ats", "atm", "mmr", "rm"}) {
    bool refused = false;
    try {
      ExchangeMachine exchanges(axes_of(name, "hinge", 3));
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

}  // namespace polymargin::test::test_exchange_machine
