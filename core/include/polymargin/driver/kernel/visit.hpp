// What a working set knows of one block while it visits it.
#pragma once

#include "polymargin/base/aligned.hpp"
#include "polymargin/machine/machine.hpp"

namespace polymargin {

// Arrays over the classes of the block, padded to packs.
template <class Real>
struct Visit {
  explicit Visit(int room)
      : score(room),
        dual(room),
        start(room),
        direction(room),
        change(room),
        coefficients(room),
        arrays(std::size_t(room) * kWorkspaceArrays) {}

  AlignedArray<Real> score, dual;
  AlignedArray<Real> start;         // the dual block as it was read
  AlignedArray<Real> direction;     // in which it moves
  AlignedArray<Real> change;        // of the coefficients by a step
  AlignedArray<Real> coefficients;  // by which another block has moved
  AlignedArray<Real> arrays;
};

}  // namespace polymargin
