// The sequential dual method (000, algorithms 2.1 and 3.1): visit one example after the other,
// solve its restricted problem, add the change to W. The machine, its restricted solver, the rows
// and the schedule are all given; this file is only the loop.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "polymargin/access/dual_blocks.hpp"
#include "polymargin/access/label_sets.hpp"
#include "polymargin/access/rows.hpp"
#include "polymargin/base/poller.hpp"
#include "polymargin/certify/measured_rows.hpp"
#include "polymargin/driver/linear/binary_visits.hpp"
#include "polymargin/driver/linear/block_visits.hpp"
#include "polymargin/driver/linear/class_shrinking.hpp"
#include "polymargin/driver/linear/dense_batches.hpp"
#include "polymargin/driver/linear/rounds.hpp"
#include "polymargin/driver/linear/running_objective.hpp"
#include "polymargin/driver/linear/shared_scores.hpp"
#include "polymargin/driver/linear/weight_updates.hpp"
#include "polymargin/driver/report.hpp"
#include "polymargin/machine/workspace.hpp"

namespace polymargin {

// `W` is Weights, PackedWeights or TiledWeights. With packed ones |x|^2 bounds the curvature of
// every class, so the steps, exact for a bound of the dual, gain at least what they say. With tiled
// ones classes are those that a row sees, its candidates, under numbers of their own.
template <class Real, class W = Weights<Real>>
class Sequential {
 public:
  Sequential(std::shared_ptr<const Rows<Real>> rows, std::vector<Example<Real>> examples,
             int classes, std::shared_ptr<const Machine<Real>> machine, std::uint64_t seed)
      : Sequential(rows, std::move(examples), std::move(machine), seed,
                   std::make_shared<W>(rows->features(), ClassLayout::of<Real>(classes))) {}

  // On weights that it may share with drivers of other rows. `lists_blocks`: as if there were many
  // classes, blocks are lists, so that visits can look at their support alone.
  Sequential(std::shared_ptr<const Rows<Real>> rows, std::vector<Example<Real>> examples,
             std::shared_ptr<const Machine<Real>> machine, std::uint64_t seed,
             std::shared_ptr<W> weights, bool lists_blocks = false)
      : rows_(rows),
        examples_(std::move(examples)),
        layout_(weights->layout()),
        machine_(std::move(machine)),
        updates_(std::move(rows), std::move(weights)),
        binary_visits_(W::kWhole ? make_binary_visits(*rows_, *machine_, layout_) : nullptr),
        blocks_(rows_->size(), layout_, machine_->fills_blocks(), !binary_visits_,
                lists_blocks && !binary_visits_),
        has_support_visits_(blocks_.sparse() && !machine_->sums_to_zero()),
        class_shrinking_(blocks_.sparse() ? examples_.size() : 0),
        workspace_(layout_),
        rounds_(seed) {
    for (std::int32_t i = 0; i < std::int32_t(examples_.size()); ++i) {
      Example<Real>& example = examples_[i];
      example.curvature = rows_->squared_norm(i);
      example.loss = Real(machine_->loss_at_zero(layout_.classes, example.label));
      objective_.add(example);
      if (example.has_variables()) visited_.push_back(i);
    }
    if (machine_->adapts_step()) steps_.resize(examples_.size());
    if constexpr (W::kWhole)
      if (!binary_visits_ && !blocks_.sparse()) {
        dense_batches_ = DenseBatches<Real>::make(*rows_, layout_);
        if (!dense_batches_) block_visits_ = make_block_visits(*rows_, *machine_, layout_);
      }
  }

  // The examples that can be visited: a weight above zero and at least one feature.
  const std::vector<std::int32_t>& visited() const { return visited_; }
  void set_schedule(std::unique_ptr<Schedule> schedule) {
    adaptive_ = dynamic_cast<AdaptiveSchedule*>(schedule.get());
    rounds_.set_schedule(std::move(schedule));
  }
  Schedule& schedule() { return rounds_.schedule(); }
  std::vector<float> schedule_memory() { return rounds_.memory(); }
  // With more than kDenseClasses classes: visit only the support of a block while full visits
  // bring no new class into it.
  void set_class_shrinking(bool on) { class_shrinking_.set_on(on && blocks_.sparse()); }
  // Examples with any number of labels, for machines whose classes do not meet; `label` of each
  // example is outside of them then. To be told before the first visit.
  void set_label_sets(std::shared_ptr<const LabelSets> sets) {
    if (binary_visits_)  // one class, which is the label or is not
      for (std::size_t i = 0; i < examples_.size(); ++i)
        examples_[i].label = sets->of(std::int64_t(i)).empty() ? -1 : 0;
    else
      label_sets_ = std::move(sets), block_visits_ = nullptr;
  }
  void set_threads(int threads) {
    if (dense_batches_)
      dense_batches_->set_threads(threads);
    else
      scores_.set_threads(threads, layout_);
  }

  // For a part of the rows that is solved beside others (CoCoA+: Ma et al. 2015, eq. (9)): a visit
  // adds `scale` times its change to W, with the curvature scale |x|^2, which bounds what the parts
  // do to each other. The running dual then tells the gains of this bounded problem.
  void set_scale(Real scale) {
    updates_.set_scale(scale);
    for (std::int32_t i : visited_) examples_[i].curvature = scale * rows_->squared_norm(i);
  }

  const Rows<Real>& rows() const { return *rows_; }
  const Machine<Real>& machine() const { return *machine_; }
  const std::vector<Example<Real>>& examples() const { return examples_; }
  const ClassLayout& layout() const { return layout_; }
  W& weights() { return updates_.weights(); }
  const std::shared_ptr<W>& shared_weights() const { return updates_.shared_weights(); }
  // What is known of the dual and of |W| is that of other weights then.
  void share_weights(std::shared_ptr<W> weights) { updates_.share(std::move(weights)); }
  DualBlocks<Real>& blocks() { return blocks_; }

  // As many visits as there are examples, or a share of them. `poll` is asked now and then whether
  // to stop.
  EpochReport epoch(const std::function<bool()>& poll, double share = 1) {
    return visits(poll, std::int64_t(std::ceil(share * double(visited_.size()))));
  }

  // The visits of one round of the schedule, about as many as there are examples: nothing that the
  // schedule has planned is lost with the driver.
  EpochReport round(const std::function<bool()>& poll) {
    if (visited_.empty() || idle_) return epoch(poll);
    Poller poller(poll);
    DriverInspector inspector(*this, poller);
    rounds_.begin(inspector);
    return visits(poll, std::int64_t(rounds_.left().size()));
  }

  // Sets W to what the dual variables say: removes the drift of many small additions.
  void rebuild_weights() {
    weights().clear();
    add_blocks();
    objective_.set_dual(dual_terms(), weights().squared_norm() / 2);
  }

  // Adds to W what the dual variables of these rows say, which may be a part of all.
  void add_blocks() {
    if (binary_visits_) return binary_visits_->add_blocks(visit_state(), visited_);
    for (std::int32_t i : visited_) {
      if (blocks_.empty(i)) continue;
      if (has_support_visits_) {
        const Block<Real> block = support_block(i);
        machine_->coefficients(block);
        flip_listed(i, block.layout.classes, block.change);
        updates_.add_listed(i, workspace_.classes.data(), block.layout.classes, block.change,
                            workspace_);
      } else {
        const Block<Real> block = full_block(i);
        machine_->coefficients(block);
        flip(i, block.change);
        updates_.add_all(i, block.change);
      }
      workspace_.clear_dual();
    }
    if constexpr (W::kWhole)
      if (machine_->sums_to_zero()) weights().center();
  }

  // The dual objective without 1/2 |W|^2: what the rows contribute, each by itself.
  double dual_terms() {
    Tally tally;
    for (std::int32_t i = 0; i < std::int32_t(examples_.size()); ++i)
      tally.add_dual_term(
          examples_[i], [&](int label) { return machine_->loss_at_zero(layout_.classes, label); },
          [&] { return dual_term(i); });
    return tally.dual_terms;
  }

  // Losses and violations of all rows under W as it is.
  Tally measure(int threads, const std::function<bool()>& poll) {
    std::vector<Real> losses;
    const Tally tally =
        binary_visits_ ? binary_visits_->measure(visit_state(), threads, poll, losses)
                       : measure_rows(LinearState<Real, W>{*rows_, weights(), *machine_, examples_,
                                                           blocks_, label_sets_.get()},
                                      threads, poll, losses);
    if (tally.complete) set_losses(losses);
    return tally;
  }

  // Primal and dual objective of the weights that the dual variables make, and the largest
  // violation: by weak duality a bound on how far the model is from the optimum, whatever was done
  // to get there.
  Certificate certify(int threads, const std::function<bool()>& poll = [] { return false; }) {
    const double bound = machine_->may_be_infeasible() ? feasible_dual() : 0;
    rebuild_weights();
    Tally tally = measure(threads, poll);
    tally.dual_terms = objective_.dual_terms();
    Certificate result = tally.certificate(objective_.half_norm());
    if (machine_->may_be_infeasible()) result.dual = bound;
    return result;
  }

  // Losses measured elsewhere replace the ones last seen.
  void set_losses(const std::vector<Real>& losses) { objective_.set_losses(examples_, losses); }

  double dual() const { return objective_.dual(); }

  // For schedules: whether the block of example i is at a vertex of its feasible set.
  bool settled(std::int32_t i) { return machine_->at_vertex(entries(i)); }

  // By how much example i violates its optimality conditions under the current weights.
  double violation(std::int32_t i) {
    if (binary_visits_) return double(binary_visits_->violation(visit_state(), i));
    scores_.compute(*rows_, i, weights(), workspace_.score.data());
    flip(i, workspace_.score.data());
    const Step<Real> step = machine_->step(full_block(i), std::numeric_limits<Real>::infinity());
    workspace_.clear_dual();
    return double(step.violation);
  }

 private:
  EpochReport visits(const std::function<bool()>& poll, std::int64_t visits) {
    Poller poller(poll);
    DriverInspector inspector(*this, poller);
    EpochReport report;
    if (idle_) look_at_everything();
    if (binary_visits_) binary_visits_->warm_up(visit_state());
    while (report.visits < visits && !report.stopped) {
      if (rounds_.left().empty()) rounds_.begin(inspector);
      const std::span<const std::int32_t> left = rounds_.left();
      const std::size_t count =
          std::min(left.size(), std::size_t(std::min(visits - report.visits, visits_per_poll())));
      run(left, count, report);
      rounds_.advance(count);
      report.visits += std::int64_t(count);
      report.stopped = inspector.asks_to_stop();
    }
    // The steps took |x|^2 for the curvature of every class.
    if constexpr (W::kReduced) objective_.set_half_norm(weights().squared_norm() / 2);
    objective_.write(report);
    idle_ = report.moves == 0;
    return report;
  }

  // The first `count` visits of those that are left of a round.
  void run(std::span<const std::int32_t> left, std::size_t count, EpochReport& report) {
    if (binary_visits_ || (block_visits_ && adaptive_)) {
      const int classes = layout_.classes;
      report.evaluations += std::int64_t(count) * classes;
      schedule().count_evaluations(int(count) * classes, classes);
      const Visits<Real> visits{left, count, updates_.scale(), kThreshold};
      if (block_visits_)
        block_visits_->visit(visit_state(), visits, *adaptive_, objective_, report);
      else if (adaptive_)
        binary_visits_->visit(visit_state(), visits, *adaptive_, objective_, report);
      else
        binary_visits_->visit(visit_state(), visits, schedule(), objective_, report);
      return;
    }
    if constexpr (W::kWhole)
      if (dense_batches_) return run_batches(left, count, report);
    for (std::size_t v = 0; v < count; ++v) {
      look_ahead(left, v);
      const std::int32_t i = left[v];
      int evaluated = layout_.classes;
      const Step<Real> step = visit(i, evaluated);
      record(i, step, evaluated, report);
    }
  }

  void run_batches(std::span<const std::int32_t> left, std::size_t count, EpochReport& report) {
    std::size_t v = 0;
    dense_batches_->visit(left.first(count), weights(),
                          [&](std::int32_t i, Real* scores, Real* change) {
                            look_ahead(left, v++);
                            flip(i, scores);
                            Block<Real> block = full_block(i);
                            block.score = scores;
                            block.change = change;
                            const Step<Real> step = machine_->step(block, kThreshold);
                            if (step.moved) {
                              flip(i, change);
                              updates_.scaled(change, layout_.stride);
                            }
                            objective_.count(step, examples_[i]);
                            record(i, step, layout_.classes, report);
                            return bool(step.moved);
                          });
  }

  void record(std::int32_t i, const Step<Real>& step, int evaluated, EpochReport& report) {
    schedule().count_evaluations(evaluated, layout_.classes);
    report.evaluations += evaluated;
    schedule().report(i, step.violation, step.gain);
    report.violation = std::max(report.violation, double(step.violation));
    report.moves += step.moved;
  }

  // A schedule may look at the same few examples again and again: after visits that moved nothing
  // come all examples and all classes, so that two idle epochs say that nothing can move.
  void look_at_everything() {
    if (visited_.empty()) return;
    rounds_.begin_with_all();
    class_shrinking_.look_at_all();
  }

  // The rows come in random order: ask for them a few visits before they are needed.
  void look_ahead(std::span<const std::int32_t> left, std::size_t v) {
    constexpr std::size_t kFar = 12, kNear = 4;
    if (v + kFar >= left.size()) return;
    const std::int32_t far = left[v + kFar], near = left[v + kNear];
    __builtin_prefetch(&examples_[far]);
    blocks_.prefetch(far);
    schedule().prefetch(far);
    blocks_.prefetch_entries(near);
    if (dense_batches_) return;  // which ask for the rows of whole batches
    rows_->prefetch_place(far);
    rows_->prefetch(near);
  }

  Step<Real> visit(std::int32_t i, int& evaluated) {
    const bool shrunk = schedule().support_only();
    const bool support_only =
        has_support_visits_ && !blocks_.list(i).empty() && (shrunk || class_shrinking_.take(i));
    const Step<Real> step =
        support_only ? visit_support(i, shrunk, evaluated) : visit_all_classes(i);
    objective_.count(step, examples_[i]);
    return step;
  }

  Step<Real> visit_all_classes(std::int32_t i) {
    scores_.compute(*rows_, i, weights(), workspace_.score.data());
    flip(i, workspace_.score.data());
    const Block<Real> block = full_block(i);
    const Step<Real> step = machine_->step(block, kThreshold);
    if (step.moved) flip(i, block.change);
    if (blocks_.sparse()) {
      bool entered = false;
      if (step.moved) {
        entered = updates_.add_change_sparsely(i, block, workspace_);
        blocks_.assign(i, block.dual);
      }
      class_shrinking_.seen_all(i, entered);
      workspace_.clear_dual();
    } else if (step.moved) {
      updates_.add_change(i, block.change);
    }
    return step;
  }

  // `free_only`: without the variables that are at their bound, and stay there.
  Step<Real> visit_support(std::int32_t i, bool free_only, int& evaluated) {
    const bool some = free_only && list_free(i);
    const Block<Real> block = some ? listed_block(i, free_) : support_block(i);
    const std::int32_t* classes = workspace_.classes.data();
    const int count = evaluated = block.layout.classes;
    rows_->scores_of(i, weights(), classes, count, workspace_.score.data());
    flip_listed(i, count, workspace_.score.data());
    const Step<Real> step = machine_->step(block, kThreshold);
    if (step.moved) {
      flip_listed(i, count, block.change);
      updates_.add_change(i, classes, count, block.change);
      if (some)
        blocks_.merge(i, block.dual, classes, count);
      else
        blocks_.assign(i, block.dual, classes, count);
    }
    workspace_.clear_dual();
    return step;
  }

  // The variables of a block that are not at their bound, or the label's; whether others are.
  bool list_free(std::int32_t i) {
    const Example<Real>& example = examples_[i];
    free_.clear();
    for (const auto& entry : blocks_.list(i))
      if (entry.label == example.label || !machine_->at_bound(entry.value, example.loss_weight))
        free_.push_back(entry);
    return free_.size() < blocks_.list(i).size();
  }

  // See LabelSets; numbers of all classes, or of those that the workspace lists.
  void flip(std::int32_t i, Real* values) const {
    if (label_sets_) label_sets_->flip(i, values);
  }
  void flip_listed(std::int32_t i, int count, Real* values) const {
    if (label_sets_) label_sets_->flip(i, workspace_.classes.data(), count, values);
  }

  // workspace_.clear_dual() is to be called afterwards.
  Block<Real> full_block(std::int32_t i) {
    Block<Real> block = workspace_.full_block(examples_[i], blocks_, i, layout_);
    if (!steps_.empty()) block.step = &steps_[i];
    return block;
  }

  Block<Real> support_block(std::int32_t i) { return listed_block(i, blocks_.list(i)); }

  Block<Real> listed_block(std::int32_t i,
                           const std::vector<typename DualBlocks<Real>::Entry>& list) {
    return workspace_.support_block(examples_[i], list, machine_->targets_of(examples_[i].label));
  }

  // The dual objective of feasible blocks near those that there are, and stay.
  double feasible_dual() {
    using Entries = std::vector<typename DualBlocks<Real>::Entry>;
    std::vector<Entries> kept(visited_.size());
    for (std::size_t v = 0; v < visited_.size(); ++v) {
      Entries feasible;
      const BlockEntries<Real> found = entries(visited_[v]);
      for (int c = 0; c < found.count; ++c) {
        kept[v].push_back({found.class_of(c), found.value[c]});
        const Real u = machine_->feasible_factor(found, c) * found.value[c];
        if (u != 0) feasible.push_back({found.class_of(c), u});
      }
      blocks_.set(visited_[v], feasible);
    }
    rebuild_weights();
    for (std::size_t v = 0; v < visited_.size(); ++v) blocks_.set(visited_[v], kept[v]);
    return objective_.dual();
  }

  VisitState<Real> visit_state() {
    if constexpr (W::kWhole)
      return {examples_, blocks_, weights().of_feature(0)};
    else
      return {examples_, blocks_, nullptr};  // it has no such visits
  }

  double dual_term(std::int32_t i) {
    if (!binary_visits_) return machine_->dual_term(entries(i));
    const Real dual = *blocks_.dense(i);
    return machine_->dual_term(
        {1, examples_[i].label, examples_[i].loss_weight, dual != 0, nullptr, &dual});
  }

  BlockEntries<Real> entries(std::int32_t i) {
    return workspace_.entries(examples_[i], blocks_, i, layout_);
  }

  std::int64_t visits_per_poll() const {
    return dense_batches_ ? dense_batches_->visits_at_once() : kVisitsPerPoll;
  }

  static constexpr std::int64_t kVisitsPerPoll = 64;
  // Violations below this are rounding of scores around one.
  static constexpr Real kThreshold = 4 * std::numeric_limits<Real>::epsilon();

  std::shared_ptr<const Rows<Real>> rows_;
  std::vector<Example<Real>> examples_;
  ClassLayout layout_;
  std::shared_ptr<const Machine<Real>> machine_;
  std::shared_ptr<const LabelSets> label_sets_;
  WeightUpdates<Real, W> updates_;
  SharedScores scores_;
  std::unique_ptr<DenseBatches<Real>> dense_batches_;  // if rows are dense and long
  std::unique_ptr<BinaryVisits<Real>> binary_visits_;  // if there is one class, and it has them
  DualBlocks<Real> blocks_;
  std::unique_ptr<BlockVisits<Real>> block_visits_;  // if there are such for all classes
  bool has_support_visits_;  // a change touches only the support of a block, which is stored
  ClassShrinking class_shrinking_;
  Workspace<Real> workspace_;
  Rounds rounds_;
  AdaptiveSchedule* adaptive_ = nullptr;  // the schedule, if it is the usual one
  std::vector<std::int32_t> visited_;
  std::vector<typename DualBlocks<Real>::Entry> free_;
  std::vector<Real> steps_;  // only if the machine adapts them
  bool idle_ = false;        // nothing moved in the last epoch
  RunningObjective objective_;
};

}  // namespace polymargin
