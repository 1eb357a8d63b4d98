// Steps of two directions at a time for some blocks of a working set, chosen from all of them by
// second-order gain, as in S2DO (004, section 4.3).
//
// A direction belongs to one block: a variable grows. Where the sum of a block is bounded, it takes
// that from what has most, the slack or another variable, so that the others do not meet. Along
// directions x, from what is now,
//     max g.x - 1/2 x' Q x,   0 <= x <= upper,   Q_vw = c_v.c_w k(x_v, x_w),
// where c_v are the coefficients of a unit of v. Rows of Q are computed when they are first needed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "polymargin/driver/kernel/binary_variables.hpp"
#include "polymargin/driver/kernel/working_blocks.hpp"
#include "polymargin/restricted/two_variables.hpp"

namespace polymargin {

template <class Real>
class GreedyPairs {
 public:
  static constexpr std::int64_t kMost = 1280;  // directions

  explicit GreedyPairs(WorkingBlocks<Real>& blocks)
      : blocks_(blocks),
        machine_(blocks.machine()),
        shares_bound_(machine_.coupling() == BlockCoupling::of_bound),
        visit_(blocks.visit_room()) {}

  // Whether the machine has such directions.
  bool pays() const { return machine_.coupling() != BlockCoupling::other; }

  // Takes blocks, unless they have too many directions: every step looks at all of them. Of classes
  // that are farther than `margin` from mattering there are none.
  bool gather(std::span<const std::int32_t> positions, Real margin) {
    directions_.clear();
    starts_.assign(1, 0);
    shared_.clear();
    for (std::int32_t p : positions) {
      list_directions(p, margin);
      if (std::int64_t(directions_.size()) > kMost) return false;
      starts_.push_back(std::int32_t(directions_.size()));
    }
    prepare();
    return true;
  }

  struct Outcome {
    std::int64_t steps = 0;
    double gain = 0, linear = 0;  // of the dual objective, and without -1/2 |W|^2
  };

  // Steps until no direction violates its conditions by more than `target`, or so many.
  Outcome descend(Real target, std::int64_t most) {
    Outcome outcome;
    auto first = variables_.first();
    while (outcome.steps < most && first.at >= 0 && first.violation > target) {
      ++outcome.steps;
      if (!step(first, outcome.gain)) break;
    }
    write(outcome);
    return outcome;
  }

 private:
  static constexpr std::int64_t kLanes = kNativeBytes / std::int64_t(sizeof(Real));
  using V = Pack<Real, kNativeBytes>;
  using I = PackInt<Real, kNativeBytes>;
  static constexpr int kNone = -1;  // in place of a class

  struct Direction {
    std::int32_t position;     // of the block
    std::int32_t up, down;     // places of variables in the block, -1 if there is none
    std::int32_t plus, minus;  // classes with the coefficients 1 and -1, before centring
    Line<Real> line = {};
    Real upper = 0, penalty = 0;
  };

  void list_directions(std::int32_t p, Real margin) {
    const Block<Real> block = blocks_.read(p, visit_);
    machine_.near(block, margin);
    const int count = block.layout.classes;
    near_.assign(block.change, block.change + count);
    int reference = -1;
    if (shares_bound_) {
      double slack = double(block.loss_weight);
      for (int t = 0; t < count; ++t) slack -= double(block.dual[t]);
      const int largest = int(std::max_element(block.dual, block.dual + count) - block.dual);
      if (double(block.dual[largest]) > slack) reference = largest;
      shared_.push_back(reference < 0 ? slack : double(block.dual[reference]));
    }
    for (int t = 0; t < count; ++t)
      if (t != reference && near_[t] > 0) add_direction(p, block, t, reference);
    if (reference >= 0) add_direction(p, block, -1, reference);
  }

  void add_direction(std::int32_t p, const Block<Real>& block, int up, int down) {
    Real* direction = visit_.direction.data();
    std::fill_n(direction, block.layout.stride, Real(0));
    if (up >= 0) direction[up] = 1;
    if (down >= 0) direction[down] = -1;
    const Line<Real> line = machine_.line(block, direction);
    if (!(line.curvature > 0)) return;
    // A variable of the label has the other sign; relative margins have the label beside.
    const int y = block.label;
    Direction found{p, up, down, down < 0 ? kNone : blocks_.name(p, down),
                    up < 0 ? kNone : blocks_.name(p, up)};
    if (machine_.is_relative()) {
      if (down < 0) found.plus = blocks_.name(p, y);
      if (up < 0) found.minus = blocks_.name(p, y);
    } else if (y >= 0 && (up == y || down == y)) {
      std::swap(found.plus, found.minus);
      if (up >= 0 && down >= 0) return;  // both coefficients have one sign
    }
    // Squared losses have no upper bound.
    const bool squared = line.upper - line.lower > 2 * block.loss_weight;
    found.line = line;
    found.penalty = squared ? 1 / (2 * block.loss_weight) : Real(0);
    found.upper = squared         ? std::numeric_limits<Real>::infinity()
                  : shares_bound_ ? line.upper - line.lower
                                  : block.loss_weight;
    directions_.push_back(found);
  }

  void prepare() {
    const std::int64_t count = std::int64_t(directions_.size());
    variables_.resize(count);
    width_ = variables_.padded;
    columns_.assign(width_, 0);
    for (AlignedArray<LaneInt<Real>>* classes : {&plus_, &minus_})
      if (std::int64_t(classes->size()) < width_) classes->resize(width_);
    if (std::int64_t(sums_.size()) < width_) sums_.resize(width_);
    for (std::int64_t v = count; v < width_; ++v) {
      plus_[v] = minus_[v] = kNone;
      sums_[v] = 0;
    }
    const bool centred = machine_.sums_to_zero();
    for (std::int64_t v = 0; v < count; ++v) {
      const Direction& one = directions_[v];
      const Line<Real>& line = one.line;
      columns_[v] = blocks_.origin(one.position);
      plus_[v] = one.plus;
      minus_[v] = one.minus;
      sums_[v] = centred ? Real((one.plus >= 0) - (one.minus >= 0)) : Real(0);
      variables_.dual[v] = -line.lower;
      variables_.upper[v] = one.upper;
      variables_.gradient[v] = line.gradient;
      variables_.sign[v] = 1;
      variables_.diagonal[v] = line.curvature;
      variables_.penalty[v] = one.penalty;
      variables_.weight[v] = 1 / std::sqrt(line.curvature);
    }
    start_.assign(variables_.dual.data(), variables_.dual.data() + count);
    rows_.assign(count, nullptr);
    used_ = 0;
    if (count * width_ > room_) {
      room_ = count * width_;
      values_.reset();
      values_ = std::make_unique_for_overwrite<Real[]>(room_ + kLanes);
    }
  }

  // A row of Q.
  const Real* row(std::int32_t v) {
    if (rows_[v] != nullptr) return rows_[v];
    const Direction& one = directions_[v];
    Real* const to = values_.get() + used_;
    used_ += width_;
    const Real* const from = blocks_.kernel_row(one.position);
    for (std::int64_t w = 0; w < width_; ++w) to[w] = from[columns_[w]];
    // c_v.c_w: entries at the same class, less the mean of c_v times the sum of c_w.
    const V mean = V{} + sums_[v] / Real(blocks_.classes());
    const I plus = I{} + (one.plus < 0 ? kNone - 1 : one.plus);
    const I minus = I{} + (one.minus < 0 ? kNone - 1 : one.minus);
    for (std::int64_t w = 0; w < width_; w += kLanes) {
      const I plus_w = load<I>(plus_.data() + w), minus_w = load<I>(minus_.data() + w);
      const I same = (plus_w == minus) + (minus_w == plus) - (plus_w == plus) - (minus_w == minus);
      const V product = __builtin_convertvector(same, V) - mean * load<V>(sums_.data() + w);
      store_anywhere(to + w, load_anywhere<V>(to + w) * product);
    }
    return rows_[v] = to;
  }

  bool step(typename BinaryVariables<Real>::First& first, double& gained) {
    const std::int32_t a = first.at;
    const Real* const row_a = row(a);
    std::int32_t b = variables_.second(a, row_a);
    std::array<double, 2> along{};
    double gain = 0;
    const auto own = [&](const AlignedArray<Real>& values, std::int32_t v) {
      return double(values[v]);
    };
    const auto& all = variables_;
    if (b >= 0) {
      const TwoVariables<double> pair{
          {own(all.gradient, a), own(all.gradient, b)},
          {own(all.diagonal, a), own(all.diagonal, b)},
          double(row_a[b]),
          {-own(all.dual, a), -own(all.dual, b)},
          {own(all.upper, a) - own(all.dual, a), own(all.upper, b) - own(all.dual, b)}};
      along = pair.solve();
      gain = pair.gain(along);
      const bool same = directions_[a].position == directions_[b].position;
      if (shares_bound_ && same && along[0] + along[1] > std::min(pair.upper[0], pair.upper[1]))
        b = -1;  // together they would pass the bound of their block
    }
    if (b < 0) {
      const double g = own(all.gradient, a), q = own(all.diagonal, a);
      along = {one_variable_step(g, q, -own(all.dual, a), own(all.upper, a) - own(all.dual, a)), 0};
      gain = along[0] * (g - q * along[0] / 2);
    }
    if (!(gain > 0)) return false;
    gained += gain;
    const std::int32_t other = b < 0 ? a : b;
    const Real changes[2] = {move(a, along[0]), b < 0 ? Real(0) : move(b, along[1])};
    const Real* const row_b = row(other);
    first = variables_.first({{row_a, row_b}, {changes[0], changes[1]}});
    return true;
  }

  // Moves along a direction, to a bound if it is there but for rounding; returns by how much.
  Real move(std::int32_t v, double along) {
    constexpr double kRounding = 2 * double(std::numeric_limits<Real>::epsilon());
    const Real before = variables_.dual[v], upper = variables_.upper[v];
    const double now = double(before) + along;
    const double rounding = kRounding * (double(before) + std::fabs(along));
    Real& dual = variables_.dual[v];
    dual = now <= rounding                              ? Real(0)
           : std::fabs(now - double(upper)) <= rounding ? upper
                                                        : Real(now);
    const Real change = dual - before;
    variables_.gradient[v] -= variables_.penalty[v] * change;
    if (shares_bound_) share(v);
    return change;
  }

  // What is left for the directions of a block, after one of them has moved.
  void share(std::int32_t v) {
    const std::size_t block = std::upper_bound(starts_.begin(), starts_.end(), v) - starts_.begin();
    const Real left = Real(std::max(left_of(block - 1), 0.0));
    for (std::int32_t w = starts_[block - 1]; w < starts_[block]; ++w)
      variables_.upper[w] = variables_.dual[w] + left;
  }

  // Summed up anew: differences would add up their rounding.
  double left_of(std::size_t block) const {
    double left = shared_[block];
    for (std::int32_t v = starts_[block]; v < starts_[block + 1]; ++v)
      left -= double(variables_.dual[v]) - double(start_[v]);
    return left;
  }

  // Carries what has moved to the blocks of the working set.
  void write(Outcome& outcome) {
    for (std::size_t s = 0; s + 1 < starts_.size(); ++s) {
      const std::int32_t begin = starts_[s], end = starts_[s + 1];
      bool moved = false;
      for (std::int32_t v = begin; v < end; ++v) moved |= variables_.dual[v] != start_[v];
      if (!moved) continue;
      const std::int32_t p = directions_[begin].position;
      const Block<Real> block = blocks_.read(p, visit_);
      const int count = block.layout.classes;
      const BlockEntries<Real> entries{count, block.label, block.loss_weight,
                                       count, nullptr,     block.dual};
      const double before = machine_.dual_term(entries);
      for (std::int32_t v = begin; v < end; ++v)
        if (directions_[v].up >= 0) block.dual[directions_[v].up] = variables_.dual[v];
      // Only all directions together are feasible: this is not clamped on the way.
      if (const int down = directions_[begin].down; down >= 0)
        block.dual[down] = Real(std::max(left_of(s), 0.0));
      outcome.linear += machine_.dual_term(entries) - before;
      blocks_.write(p, block, visit_);
    }
  }

  WorkingBlocks<Real>& blocks_;
  const MarginMachine<Real>& machine_;
  const bool shares_bound_;
  Visit<Real> visit_;
  std::vector<Direction> directions_;
  std::vector<std::int32_t> starts_;  // of the blocks
  std::vector<Real> near_, start_;
  std::vector<double> shared_;  // by block, what its directions take from, at the start
  BinaryVariables<Real> variables_;
  std::vector<std::int32_t> columns_;
  AlignedArray<LaneInt<Real>> plus_, minus_;
  AlignedArray<Real> sums_;        // of c_v before centring; zero without
  std::vector<const Real*> rows_;  // null if it is not there
  std::unique_ptr<Real[]> values_;
  std::int64_t width_ = 0, room_ = 0, used_ = 0;
};

}  // namespace polymargin
