// The ways to choose variables, instantiated once.
#include <stdexcept>

#include "polymargin/driver/box_selection.hpp"
#include "polymargin/driver/simplex_selection.hpp"

namespace polymargin {

template <class Real>
std::unique_ptr<Selection<Real>> make_selection(Decomposition<Real>& problem,
                                                const std::string& machine, const std::string& loss,
                                                bool by_gain) {
  const bool squared = loss == "squared_hinge";
  if (machine == "cs" && loss == "hinge") return std::make_unique<SimplexSelection<Real>>(problem);
  if (squared || loss == "hinge") {
    if (machine == "ww")
      return std::make_unique<BoxSelection<Real, RelativeMargin>>(problem, squared, by_gain);
    if (machine == "llw")
      return std::make_unique<BoxSelection<Real, SumToZeroMargin>>(problem, squared, by_gain);
    if (machine == "ovr")
      return std::make_unique<BoxSelection<Real, OneVsRestMargin>>(problem, squared, by_gain);
  }
  throw std::invalid_argument("no choice of variables for machine " + machine + " with loss " +
                              loss);
}

template std::unique_ptr<Selection<float>> make_selection<float>(Decomposition<float>&,
                                                                 const std::string&,
                                                                 const std::string&, bool);
template std::unique_ptr<Selection<double>> make_selection<double>(Decomposition<double>&,
                                                                   const std::string&,
                                                                   const std::string&, bool);

}  // namespace polymargin
