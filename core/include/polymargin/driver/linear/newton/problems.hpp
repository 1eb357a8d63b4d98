// Newton steps of all problems that a machine comes down to: one, or one for every class or pair of
// classes. They share no steps, so that threads take whole problems, and the model does not depend
// on their number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <vector>

#include "polymargin/base/memory.hpp"
#include "polymargin/base/parallel.hpp"
#include "polymargin/base/poller.hpp"
#include "polymargin/certify/certificate.hpp"
#include "polymargin/driver/linear/newton/proximal_newton.hpp"
#include "polymargin/driver/report.hpp"

namespace polymargin {

enum class Division { kNone, kByClass, kByPair };

class NewtonProblems {
 public:
  struct Part {
    std::unique_ptr<ProximalNewton> newton;
    int column;          // the first of its columns of W and of the blocks
    double constant;     // losses of its rows without features, in both objectives
    double stretch = 1;  // what its weights are multiplied by before they are rounded
  };

  // Classes of each row, where it may have any number of them: a problem is by class then. Empty
  // where rows have one label.
  struct LabelSets {
    std::vector<std::int64_t> starts;
    std::vector<std::int32_t> classes;

    // Which of the rows have a class.
    std::vector<char> rows_of(int m) const {
      std::vector<char> found(starts.size() - 1);
      for (std::size_t i = 0; i < found.size(); ++i)
        for (std::int64_t e = starts[i]; e < starts[i + 1]; ++e) found[i] |= classes[e] == m;
      return found;
    }
  };

  // `axes` are those of a part.
  NewtonProblems(DoubleRows rows, const MachineAxes& axes, const std::vector<std::int32_t>& labels,
                 const std::vector<double>& loss_weights, int columns, Division division,
                 NewtonTolerance tolerance, int threads, const LabelSets& sets = {})
      : rows_(rows),
        columns_(columns),
        threads_(threads),
        bytes_(checked_product(checked_product(rows.features, columns), sizeof(double))) {
    if (double(bytes_) > double(PTRDIFF_MAX)) throw OutOfMemory(double(bytes_));
    const Maker make{*this, axes, loss_weights, tolerance};
    std::vector<std::int32_t> all(division == Division::kByPair ? 0 : rows.count);
    std::iota(all.begin(), all.end(), 0);
    if (division == Division::kNone) {
      make(0, columns, all, [&](std::int64_t i) { return labels[i]; });
    } else if (!sets.starts.empty()) {
      for (int m = 0; m < columns; ++m) {
        const std::vector<char> positive = sets.rows_of(m);
        make(m, 1, all, [&](std::int64_t i) { return positive[i] ? 0 : -1; });
      }
    } else if (division == Division::kByClass) {
      for (int m = 0; m < columns; ++m)
        make(m, 1, all, [&](std::int64_t i) { return labels[i] == m ? 0 : -1; });
    } else {
      const int classes = classes_of_pairs(columns);
      std::vector<std::vector<std::int32_t>> rows_of(classes);
      for (std::int64_t i = 0; i < rows.count; ++i)
        if (0 <= labels[i] && labels[i] < classes) rows_of[labels[i]].push_back(std::int32_t(i));
      // The second class of a pair is the positive one; pairs are ordered by the first.
      int column = 0;
      for (int first = 0; first < classes; ++first)
        for (int second = first + 1; second < classes; ++second) {
          std::vector<std::int32_t> both(rows_of[first].size() + rows_of[second].size());
          std::merge(rows_of[first].begin(), rows_of[first].end(), rows_of[second].begin(),
                     rows_of[second].end(), both.begin());
          make(column++, 1, both, [&](std::int64_t i) { return labels[i] == second ? 0 : -1; });
        }
    }
  }

  const DoubleRows& rows() const { return rows_; }
  int columns() const { return columns_; }
  std::vector<Part>& parts() { return parts_; }

  double dual() const {
    double sum = 0;
    for (const Part& part : parts_) sum += part.newton->dual() + part.constant;
    return sum;
  }

  double operations() const {
    double sum = 0;
    for (const Part& part : parts_) sum += part.newton->operations();
    return sum;
  }

  bool has_started() const {
    for (const Part& part : parts_)
      if (!part.newton->has_started()) return false;
    return true;
  }

  // Of several problems, those where nothing has happened yet are at zero, and stay there.
  bool is_at_zero(const Part& part) const {
    return parts_.size() > 1 && part.newton->is_untouched();
  }

  bool is_finished() const {
    return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
      return part.newton->has_started() && part.newton->is_finished();
    });
  }

  // Evaluates what the steps begin with, if that has not been done.
  void first() {
    each(
        [&](Part& part, const auto&) {
          if (!is_at_zero(part)) part.newton->first();
        },
        [] { return false; });
  }

  // At most so many epochs, until all problems are finished or none moves; reports of all of them,
  // and what is known after the last.
  EpochReport epochs(std::int64_t most, const std::function<bool()>& poll) {
    std::int64_t visits = 0, moves = 0;
    for (std::int64_t done = 1;; ++done) {
      EpochReport report = epoch(poll);
      report.visits = visits += report.visits;
      const bool moved = report.moves > 0;
      report.moves = moves += report.moves;
      report.epochs = done;
      if (done >= most || report.stopped || !moved || is_finished()) return report;
    }
  }

  // One Newton step of every problem that is not finished.
  EpochReport epoch(const std::function<bool()>& poll) {
    EpochReport report;
    const double before = operations();
    std::atomic<std::int64_t> moves{0};
    // What is short is not polled: there may be no time at all.
    report.stopped = poll() || !each(
                                   [&](Part& part, const auto& check) {
                                     part.newton->first();
                                     if (!part.newton->is_finished())
                                       moves += part.newton->step(check);
                                   },
                                   poll);
    report.moves = moves;
    report.visits = std::int64_t((operations() - before) / double(rows_.features));
    report.violation = HUGE_VAL;
    report.dual = -HUGE_VAL;
    report.half_norm = HUGE_VAL;
    if (!has_started()) return report;
    report.dual = report.half_norm = report.violation = 0;
    for (const Part& part : parts_) {
      report.dual += part.newton->dual() + part.constant;
      report.half_norm += part.newton->primal() + part.constant;
      if (by_violation_) report.violation = std::max(report.violation, part.newton->violation());
    }
    if (!by_violation_) report.violation = HUGE_VAL;
    return report;
  }

  // Of the weights, in single precision if they are rounded to it.
  Certificate certify(bool single) {
    first();
    std::vector<ProximalNewton::Objective> found(parts_.size());
    each(
        [&](Part& part, const auto&) {
          auto& objective = found[&part - parts_.data()];
          objective = is_at_zero(part) ? part.newton->objective_at_zero()
                      : single         ? objective_in_single(part)
                                       : part.newton->objective_at(part.newton->weights());
        },
        [] { return false; });
    Certificate sum;
    sum.complete = true;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      sum.primal += found[p].value + parts_[p].constant;
      const double dual = is_at_zero(parts_[p]) ? 0 : parts_[p].newton->dual();
      sum.dual += dual + parts_[p].constant;
      sum.violation = std::max(sum.violation, found[p].violation);
    }
    return sum;
  }

 private:
  struct Stop {};

  // Rounding takes margins of one below it by a few digits of the scores. With large C these losses
  // are more than the tolerance allows, and weights that are longer by as little have none.
  static constexpr double kStretches[] = {1, 1 + 0x1p-20, 1 + 0x1p-17, 1 + 0x1p-14, 1 + 0x1p-11};

  // The least objective of weights in single precision; chooses the stretch.
  ProximalNewton::Objective objective_in_single(Part& part) const {
    ProximalNewton::Objective least{HUGE_VAL, HUGE_VAL};
    for (const double stretch : kStretches) {
      std::vector<double> weights = part.newton->weights();
      for (double& weight : weights) weight = double(float(stretch * weight));
      const auto objective = part.newton->objective_at(std::move(weights));
      if (objective.value < least.value) {
        least = objective;
        part.stretch = stretch;
      }
      if (part.newton->is_enough(least.value) || by_violation_) break;
    }
    return least;
  }

  static int classes_of_pairs(int columns) {
    std::int64_t classes = 1;
    while (classes * (classes - 1) / 2 < columns) ++classes;
    return int(classes);
  }

  struct Maker {
    NewtonProblems& problems;
    const MachineAxes& axes;
    const std::vector<double>& loss_weights;
    NewtonTolerance tolerance;

    // A problem of these rows, in their order.
    template <class LabelOf>
    void operator()(int column, int columns, const std::vector<std::int32_t>& rows,
                    LabelOf&& label_of) const {
      std::vector<std::int32_t> chosen, labels, empty_labels;
      std::vector<double> weights, empty_weights;
      for (const std::int32_t i : rows) {
        if (!(loss_weights[i] > 0)) continue;
        const int label = label_of(i);
        if (problems.rows_.is_empty(i)) {
          empty_labels.push_back(label);
          empty_weights.push_back(loss_weights[i]);
        } else {
          chosen.push_back(i);
          labels.push_back(label);
          weights.push_back(loss_weights[i]);
        }
      }
      const ProximalBlocks empty(axes, empty_labels, empty_weights, columns);
      problems.parts_.push_back({std::make_unique<ProximalNewton>(
                                     ChosenRows(problems.rows_, std::move(chosen)),
                                     ProximalBlocks(axes, labels, weights, columns), tolerance),
                                 column, empty.losses_at_zero()});
      problems.by_violation_ = tolerance.by_violation;
    }
  };

  // work(part, check) of all parts, where check() may throw; false if poll() asked to stop.
  template <class Work, class Poll>
  bool each(Work&& work, Poll&& poll) {
    std::atomic<bool> stopped{false};
    std::mutex asking;
    const std::function<bool()> ask = poll;
    Poller poller(ask);
    const auto check = [&] {
      if (!stopped) {
        const std::lock_guard lock(asking);
        if (poller.asks_to_stop()) stopped = true;
      }
      if (stopped) throw Stop{};
    };
    std::exception_ptr error;
    for_each_chunk(threads_, std::int64_t(parts_.size()), 1,
                   [&](int, std::int64_t p, std::int64_t, std::int64_t) {
                     if (stopped) return;
                     try {
                       work(parts_[p], check);
                     } catch (const Stop&) {
                     } catch (const std::bad_alloc&) {
                       const std::lock_guard lock(asking);
                       error = std::make_exception_ptr(OutOfMemory(double(bytes_)));
                       stopped = true;
                     } catch (...) {
                       const std::lock_guard lock(asking);
                       error = std::current_exception();
                       stopped = true;
                     }
                   });
    if (error) std::rethrow_exception(error);
    return !stopped;
  }

  DoubleRows rows_;
  int columns_, threads_;
  std::size_t bytes_;  // of the weights of all problems
  bool by_violation_ = false;
  std::vector<Part> parts_;
};

}  // namespace polymargin
