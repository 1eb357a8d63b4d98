// The blocks of a working set: scores, dual variables and the kernel between its examples.
//
// Where few classes come near an example, only these have variables here, and a class has scores of
// the examples it comes near to, its members, and the kernel between those: a step of an example is
// carried to the members of the classes it changes. With many classes that is a small part of all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "polymargin/access/gathered_kernel.hpp"
#include "polymargin/access/scores_by_class.hpp"
#include "polymargin/driver/kernel/decomposition.hpp"
#include "polymargin/driver/kernel/visit.hpp"

namespace polymargin {

template <class Real>
class WorkingBlocks {
 public:
  using Problem = Decomposition<Real, ScoresByClass<Real>>;
  using Machine = MarginMachine<Real>;

  // There is room for so many kernel values.
  WorkingBlocks(Problem& problem, double room)
      : problem_(problem),
        machine_(dynamic_cast<const Machine&>(problem.machine())),
        classes_(problem.layout().classes),
        room_(room),
        kernel_(problem.size()),
        columns_(classes_) {
    for (int count = 0; count <= classes_; ++count)
      layouts_.push_back(ClassLayout::of<Real>(std::max(count, 1)));
  }

  // Takes these examples, whose rows are in the cache, in an order of its own. Classes that are
  // farther than `margin` from mattering to an example are left out if that saves much; none is
  // without a margin.
  void gather(std::span<const std::int32_t> examples, Real margin) {
    kernel_.gather(
        examples, [&](std::int32_t i) { return problem_.cache().at(i); },
        [&](std::int32_t i) { return problem_.column_of(i); });
    width_ = padded(std::int64_t(examples.size()));
    choose_classes(margin);
    lay_out();
    gather_values();
  }

  const Machine& machine() const { return machine_; }
  const std::vector<std::int32_t>& examples() const { return examples_; }
  std::int64_t size() const { return std::int64_t(examples_.size()); }
  bool whole() const { return whole_; }  // no class is left out
  // Room that a visit needs: a short block may be padded further than a full one.
  int visit_room() const { return problem_.layout().stride + 64; }

  // The violation of every example.
  std::span<Real> violations() {
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

  Block<Real> read(std::int32_t p, Visit<Real>& visit) {
    const int count = counts_[p];
    const ClassLayout& layout = layouts_[count];
    for (int t = 0; t < count; ++t) {
      visit.score[t] = scores_[place(p, t)];
      visit.dual[t] = duals_[t * stride_ + p];
    }
    std::fill(visit.dual.data() + count, visit.dual.data() + layout.stride, Real(0));
    std::copy_n(visit.dual.data(), layout.stride, visit.start.data());
    const Example<Real>& example = problem_.examples()[examples_[p]];
    return {layout,
            int(labels_[p]),
            example.curvature,
            example.loss_weight,
            visit.score.data(),
            visit.dual.data(),
            visit.change.data(),
            visit.arrays.data()};
  }

  // The block has changed since it was read. The direction of the visit becomes its change.
  void write(std::int32_t p, Block<Real> block, Visit<Real>& visit) {
    machine_.tighten(block);
    const Real* now = block.dual;
    for (int t = 0; t < block.layout.stride; ++t) visit.direction[t] = now[t] - visit.start[t];
    block.dual = visit.direction.data();
    machine_.coefficients(block);
    Real* dual = problem_.dual(examples_[p]);
    Real* changes = changes_.data() + std::int64_t(p) * problem_.layout().stride;
    for (int t = 0; t < block.layout.classes; ++t) {
      const int m = name(p, t);
      duals_[t * stride_ + p] = dual[m] = now[t];
      if (block.change[t] == 0) continue;
      changes[m] += block.change[t];
      add(p, columns_[m], place(p, t), block.change[t]);
    }
  }

  int classes() const { return classes_; }
  // Of a block: where it is in the kernel rows of others, and its own.
  std::int32_t origin(std::int32_t p) const { return origins_[p]; }
  const Real* kernel_row(std::int32_t p) const { return kernel_.row(origins_[p]); }

  // The class at position t of a block.
  int name(std::int32_t p, int t) const { return whole_ ? t : names_[t * stride_ + p]; }

  // Calls f(q, kernel) for every neighbour q of p, with the kernel between the two.
  template <class F>
  void for_each_neighbour(std::int32_t p, F&& f) {
    for (const auto& neighbour : kernel_.neighbours(origins_[p]))
      f(ranks_[neighbour.position], neighbour.value);
  }

  // What has been added to the coefficients of the examples, one after the other, each padded.
  const Real* changes() const { return changes_.data(); }

 private:
  using V = Pack<Real, kNativeBytes>;
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  // Classes are left out if their kernel then has at most this share of the values of the whole.
  static constexpr double kSparse = 0.5;

  // A class: where its scores begin, how many they are with padding, and where the kernel between
  // its members begins, row after row.
  struct Column {
    std::int64_t first, width, kernel;
  };

  static std::int64_t padded(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  // Where the score of the class at position t of a block is.
  std::int64_t place(std::int32_t p, int t) const {
    return whole_ ? t * stride_ + p : places_[t * stride_ + p];
  }

  // s_m(x_j) += b_m k(x, x_j) for the members j of class m; x is the example p, whose own score is
  // at `place`.
  void add(std::int32_t p, const Column& column, std::int64_t place, Real coefficient) {
    const Real* row = whole_
                          ? kernel_.row(p)
                          : by_class_.get() + column.kernel + (place - column.first) * column.width;
    Real* scores = scores_.data() + column.first;
    for (std::int64_t j = 0; j < column.width; j += kLanes)
      store(scores + j, load<V>(scores + j) + load_anywhere<V>(row + j) * coefficient);
  }

  void measure(std::int64_t first, std::int64_t end, int slots, const Real* scores) {
    machine_.violations(
        {slots, std::min(end, size()) - first, stride_, scores + first, duals_.data() + first,
         labels_.data() + first, loss_weights_.data() + first},
        violations_.data() + first);
  }

  // Lists the classes of every example, its label first, and decides whether to leave the others
  // out: then examples with many classes come first.
  void choose_classes(Real margin) {
    examples_ = kernel_.examples();
    origins_.resize(examples_.size());
    std::iota(origins_.begin(), origins_.end(), 0);
    ranks_ = origins_;
    whole_ = classes_ == 1 || problem_.machine().sums_to_zero() || !(margin > 0) ||
             machine_.targets_of(0) != nullptr;  // which are for blocks of all classes
    if (whole_) return;
    std::vector<std::vector<std::int32_t>> lists;
    std::vector<std::int64_t> members(classes_);
    for (std::int32_t i : examples_) {
      const std::int32_t label = problem_.examples()[i].label;
      const Block<Real> block = problem_.block(i, problem_.score(i));
      machine_.near(block, margin);
      lists.push_back({label});
      for (int m = 0; m < classes_; ++m)
        if (m != label && block.change[m] > 0) lists.back().push_back(m);
      for (std::int32_t m : lists.back()) ++members[m];
    }
    std::int64_t values = 0;
    for (std::int64_t count : members) values += count * padded(count);
    const double all = double(size() * width_);
    whole_ = double(values) > std::min(kSparse * all, room_ - all);
    if (whole_) return;
    std::stable_sort(origins_.begin(), origins_.end(), [&](std::int32_t a, std::int32_t b) {
      return lists[a].size() > lists[b].size();
    });
    lists_.clear();
    for (std::size_t p = 0; p < lists.size(); ++p) {
      examples_[p] = kernel_.examples()[origins_[p]];
      ranks_[origins_[p]] = std::int32_t(p);
      lists_.push_back(std::move(lists[origins_[p]]));
    }
  }

  // Scores come class after class.
  void lay_out() {
    // An odd number of packs: the scores of an example are then not in one set of a cache.
    stride_ = (width_ / kLanes | 1) * kLanes;
    slots_ = whole_ || lists_.empty() ? classes_ : int(lists_[0].size());
    std::vector<std::vector<std::int32_t>> members(classes_);
    if (!whole_)
      for (std::int64_t p = 0; p < size(); ++p)
        for (std::int32_t m : lists_[p]) members[m].push_back(origins_[p]);
    std::int64_t values = 0;
    end_ = 0;
    for (int m = 0; m < classes_; ++m) {
      const std::int64_t width = whole_ ? width_ : padded(std::int64_t(members[m].size()));
      columns_[m] = {end_, width, values};
      end_ += whole_ ? stride_ : width;
      values += std::int64_t(members[m].size()) * width;
    }
    if (!whole_) gather_kernel(members, values);
  }

  // Between the members of each class, given by their rows in `kernel_`.
  void gather_kernel(const std::vector<std::vector<std::int32_t>>& members, std::int64_t values) {
    if (values > values_) {
      values_ = values;
      by_class_.reset();
      by_class_ = std::make_unique_for_overwrite<Real[]>(values);
    }
    std::vector<Real*> next;
    for (const Column& column : columns_) next.push_back(by_class_.get() + column.kernel);
    for (std::int64_t p = 0; p < size(); ++p) {
      const Real* row = kernel_.row(origins_[p]);
      for (std::int32_t m : lists_[p]) {
        Real* to = next[m];
        for (std::int32_t q : members[m]) *to++ = row[q];
        next[m] += columns_[m].width;
        std::fill(to, next[m], Real(0));
      }
    }
  }

  // Blocks come slot after slot, one for each class of an example. A slot without a class has a
  // score that no one sees.
  void gather_values() {
    const std::size_t room = std::size_t(slots_) * stride_;
    scores_.resize(end_ + kLanes);
    scores_[end_] = kNowhere<Real>;
    duals_.resize(room);
    gathered_.resize(whole_ ? 0 : room);
    names_.assign(whole_ ? 0 : room, 0);
    places_.assign(whole_ ? 0 : room, std::int32_t(end_));
    counts_.resize(size());
    labels_.resize(width_);
    loss_weights_.resize(width_);
    violations_.resize(width_);
    changes_.resize(examples_.size() * problem_.layout().stride);
    std::vector<std::int32_t> next(classes_);
    for (std::int64_t p = 0; p < size(); ++p) {
      const Example<Real>& example = problem_.examples()[examples_[p]];
      const Real* score = problem_.score(examples_[p]);
      const Real* dual = problem_.dual(examples_[p]);
      counts_[p] = whole_ ? classes_ : std::int32_t(lists_[p].size());
      labels_[p] = whole_ ? example.label : 0;
      loss_weights_[p] = example.loss_weight;
      for (int t = 0; t < counts_[p]; ++t) {
        const int m = whole_ ? t : lists_[p][t];
        const std::int64_t at = t * stride_ + p, place = columns_[m].first + next[m]++;
        if (!whole_) {
          names_[at] = m;
          places_[at] = std::int32_t(place);
        }
        scores_[place] = score[m];
        duals_[at] = dual[m];
      }
    }
  }

  Problem& problem_;
  const Machine& machine_;
  const int classes_;
  const double room_;
  GatheredKernel<Real> kernel_;
  std::vector<ClassLayout> layouts_;  // by number of classes
  std::vector<std::int32_t> examples_;
  std::vector<std::int32_t> origins_, ranks_;     // positions in `kernel_`, and from there
  std::vector<std::vector<std::int32_t>> lists_;  // classes by example
  bool whole_ = true;
  std::vector<Column> columns_;
  std::unique_ptr<Real[]> by_class_;  // the kernel of the classes, one after the other
  std::int64_t width_ = 0, stride_ = 0, end_ = 0, values_ = 0;
  int slots_ = 0;
  AlignedArray<Real> scores_, duals_, gathered_, changes_, loss_weights_, violations_;
  std::vector<std::int32_t> names_, places_, counts_;
  AlignedArray<LaneInt<Real>> labels_;
};

}  // namespace polymargin
