// What a machine is, as a point on the axes of the unified view (DESIGN, section 2). Names of
// machines are for people: the core knows the axes only.
#pragma once

#include <string>
#include <vector>

namespace polymargin {

struct MachineAxes {
  std::string margin;       // "relative": s_y - s_m, or "absolute": Y_m s_m
  std::string variables;    // the classes of a block that have one: "others", "all" or "label"
  std::string aggregation;  // of the violated margins of an example: "sum" or "max"
  bool sums_to_zero;        // the weights of the classes
  std::string loss;         // "hinge", "squared_hinge", "logistic" or "log"
  double label_target, other_target;  // t_m of the label's variable and of the others'
  // t_m by label and class, row after row, where they differ from pair to pair: class costs.
  std::vector<double> pair_targets = {};

  bool is_relative() const { return margin == "relative"; }
  bool is_absolute() const { return margin == "absolute"; }

  // Without classes that meet, a block may be of a part of the classes, and an example of none of
  // them: its label is -1 then.
  bool label_may_be_outside() const {
    return is_absolute() && variables == "all" && aggregation == "sum" && !sums_to_zero;
  }

  // For messages.
  std::string description() const {
    return margin + " margins of " + variables + ", " + aggregation + " of " + loss +
           (sums_to_zero ? ", weights that sum to zero" : "");
  }
};

}  // namespace polymargin
