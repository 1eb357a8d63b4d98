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
#include "polymargin/access/rows.hpp"
#include "polymargin/base/poller.hpp"
#include "polymargin/base/team.hpp"
#include "polymargin/driver/report.hpp"
#include "polymargin/driver/schedule.hpp"
#include "polymargin/driver/workspace.hpp"
#include "polymargin/machine/machine.hpp"

namespace polymargin {

// `W` is Weights or PackedWeights. With the latter |x|^2 bounds the curvature of every class, so
// the steps, exact for a bound of the dual, gain at least what they say.
template <class Real, class W = Weights<Real>>
class Sequential {
 public:
  Sequential(std::shared_ptr<const Rows<Real>> rows, std::vector<Example<Real>> examples,
             int classes, std::shared_ptr<const Machine<Real>> machine, std::uint64_t seed)
      : Sequential(rows, std::move(examples), std::move(machine), seed,
                   W(rows->features(), ClassLayout::of<Real>(classes))) {}

  Sequential(std::shared_ptr<const Rows<Real>> rows, std::vector<Example<Real>> examples,
             std::shared_ptr<const Machine<Real>> machine, std::uint64_t seed, W weights)
      : Sequential(std::move(rows), std::move(examples), std::move(machine), seed,
                   std::make_shared<W>(std::move(weights))) {}

  // On weights that it shares with drivers of other rows, one of which runs at a time.
  Sequential(std::shared_ptr<const Rows<Real>> rows, std::vector<Example<Real>> examples,
             std::shared_ptr<const Machine<Real>> machine, std::uint64_t seed,
             std::shared_ptr<W> weights)
      : rows_(std::move(rows)),
        examples_(std::move(examples)),
        layout_(weights->layout()),
        machine_(std::move(machine)),
        weights_(std::move(weights)),
        blocks_(rows_->size(), layout_, machine_->fills_blocks()),
        workspace_(layout_),
        random_(seed) {
    for (std::int32_t i = 0; i < std::int32_t(examples_.size()); ++i) {
      Example<Real>& example = examples_[i];
      example.curvature = rows_->squared_norm(i);
      example.loss = Real(machine_->loss_at_zero(layout_.classes));
      loss_sum_ += double(example.cap) * double(example.loss);
      if (example.curvature < kEmptyCurvature<Real>)
        dual_ += double(example.cap) * double(example.loss);
      else if (example.cap > 0)
        visited_.push_back(i);
    }
    if (blocks_.sparse()) {
      rest_.resize(examples_.size());
      span_.resize(examples_.size());
    }
    if (machine_->adapts_step()) steps_.resize(examples_.size());
  }

  // The examples that can be visited: a weight above zero and at least one feature.
  const std::vector<std::int32_t>& visited() const { return visited_; }
  void set_schedule(std::unique_ptr<Schedule> schedule) { schedule_ = std::move(schedule); }
  Schedule& schedule() { return *schedule_; }
  // With more than kDenseClasses classes: visit only the support of a block while full visits
  // bring no new class into it.
  void set_class_shrinking(bool on) { class_shrinking_ = on; }

  // For a part of the rows that is solved beside others (CoCoA+: Ma et al. 2015, eq. (9)): a visit
  // adds `scale` times its change to W, with the curvature scale |x|^2, which bounds what the parts
  // do to each other. The running dual then tells the gains of this bounded problem.
  void set_scale(Real scale) {
    scale_ = scale;
    for (std::int32_t i : visited_) examples_[i].curvature = scale * rows_->squared_norm(i);
  }

  void set_threads(int threads) {
    if (threads > 1 && layout_.packs >= 2 * kTilePacks) team_ = std::make_unique<Team>(threads);
  }

  const Rows<Real>& rows() const { return *rows_; }
  const Machine<Real>& machine() const { return *machine_; }
  const std::vector<Example<Real>>& examples() const { return examples_; }
  const ClassLayout& layout() const { return layout_; }
  W& weights() { return *weights_; }
  const std::shared_ptr<W>& shared_weights() const { return weights_; }
  // What is known of the dual and of |W| is that of other weights then.
  void share_weights(std::shared_ptr<W> weights) { weights_ = std::move(weights); }
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
    schedule_->next_round(round_, random_, inspector);
    position_ = 0;
    return visits(poll, std::int64_t(round_.size()));
  }

  // What the schedule has learned, for a later driver of the same rows to go on from. The visits
  // that are left of this round are owed then.
  std::vector<float> schedule_memory() {
    schedule_->take_back(std::span(round_).subspan(position_));
    round_.clear();
    position_ = 0;
    return schedule_->memory();
  }

  // Sets W to what the dual variables say: removes the drift of many small additions.
  void rebuild_weights() {
    weights_->clear();
    add_blocks();
    half_norm_ = weights_->squared_norm() / 2;
    dual_ = dual_terms() - half_norm_;
  }

  // Adds to W what the dual variables of these rows say, which may be a part of all.
  void add_blocks() {
    for (std::int32_t i : visited_) {
      if (blocks_.empty(i)) continue;
      if (blocks_.sparse() && !machine_->sums_to_zero()) {
        const Block<Real> block = workspace_.support_block(examples_[i], blocks_.list(i));
        machine_->coefficients(block);
        add_listed(i, workspace_.classes.data(), block.layout.classes, block.change);
        workspace_.clear_dual();
      } else {
        const Block<Real> block = full_block(i, workspace_);
        machine_->coefficients(block);
        add_all(i, block.change);
        workspace_.clear_dual();
      }
    }
    if constexpr (!W::kReduced)
      if (machine_->sums_to_zero()) weights_->center();
  }

  // The dual objective without 1/2 |W|^2: what the rows contribute, each by itself.
  double dual_terms() {
    double sum = empty_rows_dual();
    std::vector<Real> duals;
    for (std::int32_t i : visited_) {
      duals.clear();
      blocks_.for_each(i, [&](std::int32_t, Real u) { duals.push_back(u); });
      if (!duals.empty())
        sum +=
            machine_->dual_term(layout_.classes, examples_[i].cap, duals.data(), int(duals.size()));
    }
    return sum;
  }

  // Losses measured elsewhere replace the ones last seen.
  void set_losses(const std::vector<Real>& losses) {
    loss_sum_ = 0;
    for (std::size_t i = 0; i < examples_.size(); ++i) {
      examples_[i].loss = losses[i];
      loss_sum_ += double(examples_[i].cap) * double(losses[i]);
    }
  }

  double dual() const { return dual_; }

  // The block of example i over all classes; the caller calls workspace.clear_dual() afterwards.
  Block<Real> full_block(std::int32_t i, Workspace<Real>& workspace) {
    Block<Real> block = workspace.full_block(examples_[i], blocks_, i, layout_);
    if (!steps_.empty()) block.step = &steps_[i];
    return block;
  }

  // For schedules: whether the block of example i is at a vertex of its feasible set.
  bool settled(std::int32_t i) {
    std::vector<Real> values;
    blocks_.for_each(i, [&](std::int32_t, Real u) { values.push_back(u); });
    return machine_->at_vertex(examples_[i].cap, values.data(), int(values.size()));
  }

  // By how much example i violates its optimality conditions under the current weights.
  double violation(std::int32_t i) {
    score_row(i);
    const Block<Real> block = full_block(i, workspace_);
    const Step<Real> step = machine_->step(block, std::numeric_limits<Real>::infinity());
    workspace_.clear_dual();
    return double(step.violation);
  }

 private:
  EpochReport visits(const std::function<bool()>& poll, std::int64_t visits) {
    Poller poller(poll);
    DriverInspector inspector(*this, poller);
    EpochReport report;
    if (idle_) look_at_everything();
    while (report.visits < visits && !report.stopped) {
      if (position_ == round_.size()) {
        schedule_->next_round(round_, random_, inspector);
        position_ = 0;
      }
      const std::int64_t left = std::min<std::int64_t>(visits - report.visits, kVisitsPerPoll);
      const std::size_t end = std::min(position_ + std::size_t(left), round_.size());
      report.visits += std::int64_t(end - position_);
      for (; position_ < end; ++position_) {
        const std::int32_t i = round_[position_];
        look_ahead(position_);
        const Step<Real> step = visit(i);
        schedule_->report(i, step.violation, step.gain);
        report.violation = std::max(report.violation, double(step.violation));
        report.moves += step.moved;
      }
      report.stopped = inspector.asks_to_stop();
    }
    if constexpr (W::kReduced) {  // the steps took |x|^2 for the curvature of every class
      const double half_norm = weights_->squared_norm() / 2;
      dual_ += half_norm_ - half_norm;
      half_norm_ = half_norm;
    }
    report.dual = dual_;
    report.half_norm = half_norm_;
    report.loss_sum = loss_sum_;
    idle_ = report.moves == 0;
    return report;
  }

  // A schedule may look at the same few examples again and again: after visits that moved nothing
  // come all examples and all classes, so that two idle epochs say that nothing can move.
  void look_at_everything() {
    if (visited_.empty()) return;
    schedule_->all_permuted(round_, random_);
    position_ = 0;
    std::fill(rest_.begin(), rest_.end(), std::uint8_t(0));
  }

  // The rows come in random order: ask for them a few visits before they are needed.
  void look_ahead(std::size_t position) {
    constexpr std::size_t kFar = 12, kNear = 4;
    if (position + kFar >= round_.size()) return;
    const std::int32_t far = round_[position + kFar];
    __builtin_prefetch(&examples_[far]);
    blocks_.prefetch(far);
    schedule_->prefetch(far);
    rows_->prefetch_place(far);
    rows_->prefetch(round_[position + kNear]);
    blocks_.prefetch_entries(round_[position + kNear]);
  }

  Step<Real> visit(std::int32_t i) {
    bool support_only = false;
    if (blocks_.sparse() && !machine_->sums_to_zero() && !blocks_.list(i).empty()) {
      support_only = schedule_->support_only();
      if (!support_only && class_shrinking_ && rest_[i] > 0) {
        --rest_[i];
        support_only = true;
      }
    }
    const Step<Real> step = support_only ? visit_support(i) : visit_all_classes(i);
    if (step.moved) {
      dual_ += double(step.gain);
      half_norm_ += double(step.norm_change);
    }
    // Over the support alone the loss is a lower bound, but nearly always the loss.
    Example<Real>& example = examples_[i];
    loss_sum_ += double(example.cap) * (double(step.loss) - double(example.loss));
    example.loss = step.loss;
    return step;
  }

  Step<Real> visit_all_classes(std::int32_t i) {
    score_row(i);
    const Block<Real> block = full_block(i, workspace_);
    const Step<Real> step = machine_->step(block, kThreshold);
    if (blocks_.sparse()) {
      bool entered = false;
      if (step.moved) {
        entered = add_change_sparsely(i, block);
        blocks_.assign(i, block.dual);
      }
      if (class_shrinking_) {
        span_[i] = entered ? 0 : std::min(2 * span_[i] + 1, kLongestRest);
        rest_[i] = span_[i];
      }
      workspace_.clear_dual();
    } else if (step.moved) {
      add_all(i, scaled(block.change, layout_.stride));
    }
    return step;
  }

  const Real* scaled(Real* change, int count) const {
    if (scale_ != 1)
      for (int m = 0; m < count; ++m) change[m] *= scale_;
    return change;
  }

  void add_all(std::int32_t i, const Real* change) {
    rows_->add(i, *weights_, change, 0, layout_.packs);
  }

  // With many classes few of them change: touches only those. Says whether one was new.
  bool add_change_sparsely(std::int32_t i, const Block<Real>& block) {
    std::int32_t* classes = workspace_.classes.data();
    Real* coefficients = workspace_.arrays.data();
    int count = 0;
    bool entered = false;
    for_each_nonzero(block.change, layout_.stride, [&](int m) {
      coefficients[count] = scale_ * block.change[m];
      classes[count++] = m;
      entered |= block.dual[m] != 0 && std::abs(block.change[m]) == block.dual[m];
    });
    add_listed(i, classes, count, coefficients);
    return entered;
  }

  // w_m += coefficient x_i for listed classes; whole packs where that is less work.
  void add_listed(std::int32_t i, const std::int32_t* classes, int count,
                  const Real* coefficients) {
    if (count <= 2 * layout_.packs)
      return rows_->add_to(i, *weights_, classes, count, coefficients);
    Real* spread = workspace_.score.data();
    std::fill_n(spread, layout_.stride, Real(0));
    for (int c = 0; c < count; ++c) spread[classes[c]] = coefficients[c];
    add_all(i, spread);
  }

  // With many classes the threads of the team share the scores of a row, by whole register tiles,
  // so that the sums are the same for any number of threads.
  void score_row(std::int32_t i) {
    Real* scores = workspace_.score.data();
    const std::int64_t products = rows_->row_length(i) * layout_.packs;
    if (!team_ || products < kSharedProducts)
      return rows_->scores(i, *weights_, scores, 0, layout_.packs);
    const int tiles = (layout_.packs + kTilePacks - 1) / kTilePacks;
    team_->run([&](int thread) {
      const int first = tiles * thread / team_->size() * kTilePacks;
      const int last = tiles * (thread + 1) / team_->size() * kTilePacks;
      rows_->scores(i, *weights_, scores, first, std::min(last, layout_.packs));
    });
  }

  Step<Real> visit_support(std::int32_t i) {
    const Block<Real> block = workspace_.support_block(examples_[i], blocks_.list(i));
    const std::int32_t* classes = workspace_.classes.data();
    const int count = block.layout.classes;
    rows_->scores_of(i, *weights_, classes, count, workspace_.score.data());
    const Step<Real> step = machine_->step(block, kThreshold);
    if (step.moved) {
      rows_->add_to(i, *weights_, classes, count, scaled(block.change, count));
      blocks_.assign(i, block.dual, classes, count);
    }
    workspace_.clear_dual();
    return step;
  }

  double empty_rows_dual() const {
    double sum = 0;
    for (const Example<Real>& example : examples_)
      if (example.curvature < kEmptyCurvature<Real>)
        sum += double(example.cap) * machine_->loss_at_zero(layout_.classes);
    return sum;
  }

  static constexpr std::int64_t kVisitsPerPoll = 64;
  static constexpr int kLongestRest = 15;
  static constexpr int kTilePacks = 8;
  // Below this number of pack products a row is scored sooner than a second thread has begun.
  static constexpr std::int64_t kSharedProducts = 4096;
  // Violations below this are rounding of scores around one.
  static constexpr Real kThreshold = 4 * std::numeric_limits<Real>::epsilon();

  std::shared_ptr<const Rows<Real>> rows_;
  std::vector<Example<Real>> examples_;
  ClassLayout layout_;
  std::shared_ptr<const Machine<Real>> machine_;
  std::shared_ptr<W> weights_;
  DualBlocks<Real> blocks_;
  Workspace<Real> workspace_;
  Random random_;
  std::unique_ptr<Team> team_;
  std::unique_ptr<Schedule> schedule_;
  Real scale_ = 1;
  bool class_shrinking_ = false;
  std::vector<std::int32_t> visited_;
  std::vector<std::uint8_t> rest_, span_;
  std::vector<Real> steps_;  // only if the machine adapts them
  std::vector<std::int32_t> round_;
  std::size_t position_ = 0;
  bool idle_ = false;  // nothing moved in the last epoch
  double dual_ = 0, half_norm_ = 0, loss_sum_ = 0;
};

}  // namespace polymargin
