// The restricted problem of one example, as drivers state it and machines solve it.
#pragma once

#include "polymargin/base/simd.hpp"

namespace polymargin {

// Scores and dual variables over all classes, or over a short list of them. Arrays are aligned and
// padded to whole packs.
template <class Real>
struct Block {
  ClassLayout layout;    // how many classes, in how many packs
  int label;             // position of the example's own class; may be outside (one-vs-rest)
  Real curvature;        // A = |x|^2
  Real loss_weight;      // C_i
  const Real* score;     // s_m = <w_m, x>
  Real* dual;            // the block; zero where there is no variable; updated by step()
  Real* change;          // out, if the step moved: what is added to w_m is change[m] x
  Real* workspace;       // room for kWorkspaceArrays arrays of layout.stride
  Real* step = nullptr;  // what a restricted solver keeps from visit to visit, 0 before the first
  // Of a part of the classes: their targets, if the machine has such by class.
  const Real* targets = nullptr;
};

inline constexpr int kWorkspaceArrays = 4;

}  // namespace polymargin
