// A few examples and the kernel between them: what the block method solves at a time. Scores are
// kept up to date for these examples only, until commit().
//
// Where few classes come near an example, only these have variables here, and a class has scores of
// the examples it comes near to, its members, and the kernel between those: a step of an example is
// carried to the members of the classes it changes. With many classes that is a small part of all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polymargin/access/gathered_kernel.hpp"
#include "polymargin/access/scores_by_class.hpp"
#include "polymargin/driver/decomposition.hpp"
#include "polymargin/restricted/two_variables.hpp"

namespace polymargin {

template <class Real>
class WorkingSet {
 public:
  using Problem = Decomposition<Real, ScoresByClass<Real>>;

  explicit WorkingSet(Problem& problem)
      : problem_(problem),
        machine_(dynamic_cast<const MarginMachine<Real>&>(problem.machine())),
        classes_(problem.layout().classes),
        all_(problem.size()),
        columns_(classes_),
        first_(problem.layout().stride + kRoom),
        second_(problem.layout().stride + kRoom),
        coefficients_(classes_) {
    for (int count = 0; count <= classes_; ++count)
      layouts_.push_back(ClassLayout::of<Real>(std::max(count, 1)));
  }

  // Takes these examples, whose rows are in the cache, in an order of its own. Classes that are farther than `margin` from mattering to an example are left out, if it pays.
  void gather(std::span<const std::int32_t> examples, Real margin) {
    all_.gather(
        examples, [&](std::int32_t i) { return problem_.cache().at(i); },
        [&](std::int32_t i) { return problem_.column_of(i); });
    width_ = padded(std::int64_t(examples.size()));
    choose_classes(margin);
    lay_out();
    gather_blocks();
  }

  std::int64_t size() const { return std::int64_t(examples_.size()); }
  double share() const { return whole_ ? classes_ : double(end_) / size(); }
  bool whole() const { return whole_; }  // no class is left out

  // The violation of every example.
  std::span<const Real> violations() {
    if (whole_) {
      measure(0, size(), classes_, scores_.data());
    } else {
      // Packs with the same number of slots together; the first of a pack has most.
      for (std::int64_t p = 0, end; p < size(); p = end) {
        const int slots = counts_[p];
        for (end = p; end < size() && counts_[end] == slots;) end += kLanes;
        for (int t = 0; t < slots; ++t)
          for (std::int64_t at = t * stride_ + p; at < t * stride_ + end; ++at)
            gathered_[at] = scores_[places_[at]];
        measure(p, end, slots, gathered_.data());
      }
    }
    return {violations_.data(), examples_.size()};
  }

  // The exact step of one example, if it violates its conditions by more than `threshold`, then one
  // of it together with a neighbour: what the first asks for, the second would partly take back.
  bool visit(std::int32_t p, Real threshold) {
    const Block<Real> block = read(p, first_);
    std::copy_n(block.dual, block.layout.stride, first_.start.data());
    const Step<Real> step = machine_.step(block, threshold);
    if (!step.moved) return false;
    problem_.count(step);
    for (int t = 0; t < block.layout.stride; ++t)
      first_.direction[t] = block.dual[t] - first_.start[t];
    step_with_neighbour(p, block);
    return true;
  }

  // Carries all changes to the scores of all examples.
  void commit() { problem_.add_to_scores(examples_, changes_.data()); }

 private:
  using V = Pack<Real, kNativeBytes>;
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  static constexpr int kRoom = 64;  // a short block may be padded further than a full one

  static constexpr double kSparse = 1;

  // Arrays of one visit, padded to packs.
  struct Visit {
    explicit Visit(int room)
        : score(room),
          dual(room),
          start(room),
          direction(room),
          change(room),
          coefficients(room),
          arrays(std::size_t(room) * kWorkspaceArrays) {}
    AlignedArray<Real> score, dual, start, direction, change, coefficients, arrays;
  };

  // A class: where its scores begin, how many they are with padding, and where the kernel between
  // its members begins, row after row.
  struct Column {
    std::int64_t first, width, kernel;
  };

  static std::int64_t padded(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  // s_m(x_j) += b_m k(x, x_j) for the members j of class m, x being the example p, whose own score
  // is at `place`.
  void add(std::int64_t p, const Column& column, std::int64_t place, Real coefficient) {
    const Real* row = whole_
                          ? all_.row(p)
                          : kernel_.get() + column.kernel + (place - column.first) * column.width;
    Real* scores = scores_.data() + column.first;
    for (std::int64_t j = 0; j < column.width; j += kLanes)
      store(scores + j, load<V>(scores + j) + load_anywhere<V>(row + j) * coefficient);
  }

  Block<Real> read(std::int32_t p, Visit& visit) {
    const int count = counts_[p];
    const ClassLayout& layout = layouts_[count];
    for (int t = 0; t < count; ++t) {
      visit.score[t] = scores_[places_[t * stride_ + p]];
      visit.dual[t] = duals_[t * stride_ + p];
    }
    std::fill(visit.dual.data() + count, visit.dual.data() + layout.stride, Real(0));
    const Example<Real>& example = problem_.examples()[examples_[p]];
    return {layout,
            int(labels_[p]),
            example.curvature,
            example.cap,
            visit.score.data(),
            visit.dual.data(),
            visit.change.data(),
            visit.arrays.data()};
  }

  // The block has changed from visit.start on.
  void write(std::int32_t p, Block<Real> block, Visit& visit) {
    const Real* now = block.dual;
    for (int t = 0; t < block.layout.stride; ++t) visit.direction[t] = now[t] - visit.start[t];
    block.dual = visit.direction.data();
    machine_.coefficients(block);
    Real* dual = problem_.dual(examples_[p]);
    Real* changes = changes_.data() + std::int64_t(p) * problem_.layout().stride;
    for (int t = 0; t < block.layout.classes; ++t) {
      const std::int64_t at = t * stride_ + p;
      duals_[at] = dual[names_[at]] = now[t];
      if (block.change[t] == 0) continue;
      changes[names_[at]] += block.change[t];
      add(p, columns_[names_[at]], places_[at], block.change[t]);
    }
  }

  // After the step of p by first_.direction: chooses the neighbour that would gain most by it, and
  // moves both so that they gain most, p along its direction.
  void step_with_neighbour(std::int32_t p, const Block<Real>& block) {
    const int count = block.layout.classes;
    for (int t = 0; t < count; ++t) {
      coefficients_[names_[t * stride_ + p]] = block.change[t];
      first_.score[t] += block.curvature * block.change[t];
    }
    const Line<Real> line = machine_.line(block, first_.direction.data());
    Exchange<Real> best;
    std::int32_t other = -1;
    for (const auto& neighbour : all_.neighbours(origin_[p])) {
      const std::int32_t q = rank_[neighbour.position];
      const Real kernel = kernel_between(p, q);
      const Exchange<Real> found = machine_.partner(read_after(q, kernel), second_.coefficients.data(),
                                                    kernel, 1 / line.curvature);
      if (found.gain > best.gain) best = found, other = q;
    }
    if (other >= 0) step_together(block, line, other, kernel_between(p, other), best);
    write(p, block, first_);
    for (int t = 0; t < count; ++t) coefficients_[names_[t * stride_ + p]] = 0;
  }

  // As it will be after the step of the first block; `kernel` is that between the two.
  Block<Real> read_after(std::int32_t q, Real kernel) {
    const Block<Real> block = read(q, second_);
    for (int t = 0; t < block.layout.classes; ++t) {
      second_.coefficients[t] = coefficients_[names_[t * stride_ + q]];
      second_.score[t] += kernel * second_.coefficients[t];
    }
    return block;
  }

  void step_together(const Block<Real>& first, const Line<Real>& first_line, std::int32_t q,
                     Real kernel, const Exchange<Real>& chosen) {
    const Block<Real> second = read_after(q, kernel);
    std::copy_n(second.dual, second.layout.stride, second_.start.data());
    Real* direction = second_.direction.data();
    std::fill_n(direction, second.layout.stride, Real(0));
    if (chosen.up >= 0) direction[chosen.up] = 1;
    if (chosen.down >= 0) direction[chosen.down] = -1;
    const Line<Real> line = machine_.line(second, direction);
    Block<Real> unit = second;
    unit.dual = direction;
    machine_.coefficients(unit);
    Real met = 0;
    for (int t = 0; t < unit.layout.classes; ++t) met += unit.change[t] * second_.coefficients[t];
    const TwoVariables<Real> pair{{first_line.gradient, line.gradient},
                                  {first_line.curvature, line.curvature},
                                  kernel * met,
                                  {first_line.lower, line.lower},
                                  {first_line.upper, line.upper}};
    const auto along = pair.solve();
    const double gain = double(pair.gain(along));
    if (!(gain > 0)) return;
    const double linear =
        move(first, first_.direction.data(), along[0]) + move(second, direction, along[1]);
    problem_.count(gain, linear - gain);
    write(q, second, second_);
  }

  // Moves a block along a direction; returns what the dual objective gains but for |W|^2.
  double move(const Block<Real>& block, const Real* direction, Real along) {
    const int count = block.layout.classes;
    const double before = machine_.dual_term(count, block.cap, block.dual, count);
    for (int t = 0; t < count; ++t)
      if (direction[t] != 0) block.dual[t] = at_bound(block.dual[t] + along * direction[t], block.cap);
    return machine_.dual_term(count, block.cap, block.dual, count) - before;
  }

  // What is a bound but for rounding.
  static Real at_bound(Real dual, Real cap) {
    const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * cap;
    return dual < rounding ? Real(0) : std::fabs(dual - cap) < rounding ? cap : dual;
  }

  Real kernel_between(std::int32_t p, std::int32_t q) const {
    return all_.row(origin_[p])[origin_[q]];
  }

  void measure(std::int64_t first, std::int64_t end, int slots, const Real* scores) {
    machine_.violations({slots, std::min(end, size()) - first, stride_, scores + first,
                         duals_.data() + first, labels_.data() + first, caps_.data() + first},
                        violations_.data() + first);
  }

  // Lists the classes of every example, its label first, and decides whether to leave the others
  // out: then examples with many classes come first.
  [[gnu::noinline]] void choose_classes(Real margin) {
    examples_ = all_.examples();
    std::vector<std::vector<std::int32_t>> lists;
    std::vector<std::int64_t> members(classes_);
    for (std::int32_t i : examples_) {
      const std::int32_t label = problem_.examples()[i].label;
      const Block<Real> block = problem_.block(i, problem_.score(i));
      machine_.near(block, margin);
      lists.push_back({label});
      for (int m = 0; m < classes_; ++m)
        if (m != label && block.change[m] > 0) lists.back().push_back(m);
      if (classes_ > 1)
        for (std::int32_t m : lists.back()) ++members[m];
    }
    std::int64_t values = 0;
    for (std::int64_t count : members) values += count * padded(count);
    whole_ = classes_ == 1 || double(values) > kSparse * double(size() * width_);
    origin_.resize(examples_.size());
    std::iota(origin_.begin(), origin_.end(), 0);
    rank_ = origin_;
    if (whole_) return;
    std::stable_sort(origin_.begin(), origin_.end(), [&](std::int32_t a, std::int32_t b) {
      return lists[a].size() > lists[b].size();
    });
    lists_.clear();
    for (std::size_t p = 0; p < lists.size(); ++p) {
      examples_[p] = all_.examples()[origin_[p]];
      rank_[origin_[p]] = std::int32_t(p);
      lists_.push_back(std::move(lists[origin_[p]]));
    }
  }

  // The scores of a class one after the other, those of an example in no column of a cache twice.
  [[gnu::noinline]] void lay_out() {
    stride_ = (width_ / kLanes | 1) * kLanes;
    slots_ = whole_ ? classes_ : int(lists_[0].size());
    std::vector<std::vector<std::int32_t>> members(classes_);
    for (std::int64_t p = 0; p < size() && !whole_; ++p)
      for (std::int32_t m : lists_[p]) members[m].push_back(origin_[p]);
    end_ = 0;
    std::int64_t values = 0;
    for (int m = 0; m < classes_; ++m) {
      const std::int64_t width = whole_ ? width_ : padded(std::int64_t(members[m].size()));
      columns_[m] = {end_, width, values};
      end_ += whole_ ? stride_ : width;
      values += std::int64_t(members[m].size()) * width;
    }
    if (!whole_) gather_kernel(members, values);
  }

  // Between the members of each class.
  [[gnu::noinline]] void gather_kernel(const std::vector<std::vector<std::int32_t>>& members, std::int64_t values) {
    if (values > room_) {
      room_ = std::max(values, 2 * room_);
      kernel_.reset();
      kernel_ = std::make_unique_for_overwrite<Real[]>(room_);
    }
    std::vector<Real*> next;
    for (const Column& column : columns_) next.push_back(kernel_.get() + column.kernel);
    for (std::int64_t p = 0; p < size(); ++p) {
      const Real* row = all_.row(origin_[p]);
      for (std::int32_t m : lists_[p]) {
        const std::int32_t* from = members[m].data();
        const std::size_t count = members[m].size();
        Real* gathered = next[m];
        for (std::size_t q = 0; q < count; ++q) gathered[q] = row[from[q]];
        next[m] += columns_[m].width;
        std::fill(gathered + count, next[m], Real(0));
      }
    }
  }

  // Scores by columns, and where those of an example are; blocks by slots, one for each class of an
  // example. A slot without a class has a score that no one sees.
  [[gnu::noinline]] void gather_blocks() {
    const std::size_t room = std::size_t(slots_) * stride_;
    scores_.resize(end_ + kLanes);
    scores_[end_] = kNowhere<Real>;
    duals_.resize(room);
    gathered_.resize(whole_ ? 0 : room);
    names_.assign(room, 0);
    places_.assign(room, std::int32_t(end_));
    counts_.resize(size());
    labels_.resize(width_);
    caps_.resize(width_);
    violations_.resize(width_);
    changes_.resize(examples_.size() * problem_.layout().stride);
    std::vector<std::int32_t> next(classes_);
    for (std::int64_t p = 0; p < size(); ++p) {
      const Example<Real>& example = problem_.examples()[examples_[p]];
      const Real* score = problem_.score(examples_[p]);
      const Real* dual = problem_.dual(examples_[p]);
      counts_[p] = whole_ ? classes_ : std::int32_t(lists_[p].size());
      labels_[p] = whole_ ? example.label : 0;
      caps_[p] = example.cap;
      for (int t = 0; t < counts_[p]; ++t) {
        const int m = whole_ ? t : lists_[p][t];
        const std::int64_t at = t * stride_ + p;
        names_[at] = m;
        places_[at] = std::int32_t(columns_[m].first + next[m]++);
        scores_[places_[at]] = score[m];
        duals_[at] = dual[m];
      }
    }
  }

  Problem& problem_;
  const MarginMachine<Real>& machine_;
  const int classes_;
  GatheredKernel<Real> all_;
  std::vector<ClassLayout> layouts_;  // by number of classes
  std::vector<std::int32_t> examples_;
  std::vector<std::int32_t> origin_, rank_;  // positions in `all_`, and from there
  std::vector<std::vector<std::int32_t>> lists_;  // classes by example
  bool whole_ = true;
  std::vector<Column> columns_;
  std::unique_ptr<Real[]> kernel_;
  std::int64_t width_ = 0, stride_ = 0, end_ = 0, room_ = 0;
  int slots_ = 0;
  AlignedArray<Real> scores_, duals_, gathered_, changes_, caps_, violations_;
  std::vector<std::int32_t> names_, places_, counts_;
  AlignedArray<LaneInt<Real>> labels_;
  Visit first_, second_;
  std::vector<Real> coefficients_;  // of the first of two blocks, by class
};

}  // namespace polymargin
