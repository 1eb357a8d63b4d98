// Every machine with every restricted solver, instantiated once.
#include <stdexcept>

#include "polymargin/machine/catalog.hpp"
#include "polymargin/machine/crammer_singer.hpp"
#include "polymargin/machine/logistic.hpp"
#include "polymargin/machine/max_entropy.hpp"
#include "polymargin/restricted/box_exact.hpp"
#include "polymargin/restricted/catalog.hpp"
#include "polymargin/restricted/entropy_pairs.hpp"
#include "polymargin/restricted/entropy_simplex.hpp"
#include "polymargin/restricted/simplex_exact.hpp"

namespace polymargin {

template <class Real, class Margin, BoxLoss Loss>
static std::shared_ptr<const Machine<Real>> make_boxed(const std::string& restricted) {
  if (restricted == "exact")
    return std::make_shared<Boxed<Real, Margin, Loss, BoxExact>>(BoxExact{});
  if (auto solver = make_box_solver<Real>(restricted))
    return std::make_shared<Boxed<Real, Margin, Loss, AnyBox<Real>>>(
        AnyBox<Real>(std::move(solver)));
  return nullptr;
}

// Hinge or squared hinge with a slack per class.
template <class Real, class Margin>
static std::shared_ptr<const Machine<Real>> make_boxed(const std::string& loss,
                                                       const std::string& restricted) {
  if (loss == "hinge") return make_boxed<Real, Margin, BoxLoss::hinge>(restricted);
  if (loss == "squared_hinge") return make_boxed<Real, Margin, BoxLoss::squared_hinge>(restricted);
  return nullptr;
}

template <class Real>
std::shared_ptr<const Machine<Real>> make_machine(const std::string& machine,
                                                  const std::string& loss,
                                                  const std::string& restricted, double tau) {
  std::shared_ptr<const Machine<Real>> made;
  if (machine == "cs" && loss == "hinge") {
    if (restricted == "exact")
      made = std::make_shared<CrammerSinger<Real, SimplexExact>>(SimplexExact{});
    else if (auto solver = make_simplex_solver<Real>(restricted, tau))
      made = std::make_shared<CrammerSinger<Real, AnySimplex<Real>>>(
          AnySimplex<Real>(std::move(solver)));
  } else if (machine == "cs" && loss == "squared_hinge") {
    made = make_boxed<Real, RelativeMargin, BoxLoss::squared_maximum>(restricted);
  } else if (machine == "ww") {
    made = make_boxed<Real, RelativeMargin>(loss, restricted);
  } else if (machine == "llw") {
    made = make_boxed<Real, SumToZeroMargin>(loss, restricted);
  } else if (machine == "ovr" && loss == "logistic") {
    if (restricted == "exact") made = std::make_shared<Logistic<Real>>();
  } else if (machine == "maxent" && loss == "log") {
    if (restricted == "exact") made = std::make_shared<MaxEntropy<Real, EntropySimplex>>();
    if (restricted == "pairs") made = std::make_shared<MaxEntropy<Real, EntropyPairs>>();
  } else if (machine == "ovr") {
    made = make_boxed<Real, OneVsRestMargin>(loss, restricted);
  }
  if (!made)
    throw std::invalid_argument("no machine " + machine + " with loss " + loss +
                                " and restricted solver " + restricted);
  return made;
}

template std::shared_ptr<const Machine<float>> make_machine<float>(const std::string&,
                                                                   const std::string&,
                                                                   const std::string&, double);
template std::shared_ptr<const Machine<double>> make_machine<double>(const std::string&,
                                                                     const std::string&,
                                                                     const std::string&, double);

}  // namespace polymargin
