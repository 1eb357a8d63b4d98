// What is proved of a model: by weak duality it is at most primal - dual above the optimum.
#pragma once

namespace polymargin {

struct Certificate {
  double primal = 0;
  double dual = 0;
  double violation = 0;  // of the optimality conditions, the largest
  bool complete = true;  // false if it was stopped
};

}  // namespace polymargin
