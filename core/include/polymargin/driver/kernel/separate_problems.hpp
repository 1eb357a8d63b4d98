// Binary problems that do not meet, on one matrix of kernel values: pairs of classes, or classes
// against the rest. Threads take whole problems, and a problem that has reached the tolerance is
// not touched again. If the gap of each is within a share of its own objective, the sum of the gaps
// is within that share of the sum.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "polymargin/base/parallel.hpp"
#include "polymargin/base/poller.hpp"
#include "polymargin/driver/kernel/binary_solver.hpp"

namespace polymargin {

template <class Real>
class SeparateProblems {
 public:
  struct Options {
    Tolerance tolerance;
    bool squared, shrinking;
    bool in_pairs;  // steps of two variables, or of one
    double room;    // for kernel values besides the matrix, shared by the threads
    int threads;
  };

  SeparateProblems(std::vector<double> loss_weights, const Options& options)
      : loss_weights_(std::move(loss_weights)), options_(options) {}

  // Ranges are ascending. The losses of scores of zero are the certificate until it is trained.
  void add(std::vector<ExampleRange> ranges) {
    BinaryProblem problem{std::move(ranges)};
    problem.for_each([&](std::int32_t, std::int32_t i, bool) {
      problem.certificate.primal += loss_weights_[i];
    });
    problem.certificate.violation = problem.certificate.primal > 0 ? 1 : 0;
    problems_.push_back(std::move(problem));
  }
  std::vector<BinaryProblem>& problems() { return problems_; }

  // Steps of every problem that is not finished. The report sums over all of them.
  EpochReport epoch(const GramMatrix<Real>& gram, const std::function<bool()>& poll) {
    std::vector<EpochReport> reports(problems_.size());
    const bool stopped =
        for_each_unfinished(gram, poll, [&](std::int64_t p, auto& solver, const auto& stop) {
          reports[p] = solver.solve(problems_[p], options_.tolerance, stop);
        });
    EpochReport total;
    for (const EpochReport& report : reports) {
      total.visits += report.visits;
      total.moves += report.moves;
    }
    const Certificate sum = certificate();
    total.stopped = stopped;
    total.violation = sum.violation;
    total.dual = sum.dual;
    total.loss_sum = sum.primal;
    return total;
  }

  // Steps of one problem, with the kernel between its own examples, in the order of its ranges.
  // Several problems may be trained at a time, on as many threads.
  EpochReport epoch_of(std::int64_t p, const GramMatrix<Real>& gram,
                       const std::function<bool()>& poll) {
    BinaryProblem& problem = problems_[p];
    BinaryProblem own{{}, std::move(problem.duals), problem.certificate, problem.finished};
    std::vector<double> loss_weights;
    std::int32_t first = 0;
    for (const ExampleRange& range : problem.ranges) {
      const std::int32_t last = first + range.last - range.first;
      own.ranges.push_back({first, last, range.positive});
      first = last;
    }
    problem.for_each(
        [&](std::int32_t, std::int32_t i, bool) { loss_weights.push_back(loss_weights_[i]); });
    BinarySolver<Real> solver(gram, loss_weights, options_.squared, options_.shrinking,
                              options_.in_pairs, options_.room / std::max(options_.threads, 1));
    Poller poller(poll);
    EpochReport report =
        solver.solve(own, options_.tolerance, [&] { return poller.asks_to_stop(); });
    problem.duals = std::move(own.duals);
    problem.certificate = own.certificate;
    problem.finished = own.finished;
    return report;
  }

  // The sum of the certificates.
  Certificate certificate() const {
    Certificate total;
    for (const BinaryProblem& problem : problems_) {
      total.primal += problem.certificate.primal;
      total.dual += problem.certificate.dual;
      total.violation = std::max(total.violation, problem.certificate.violation);
    }
    return total;
  }

 private:
  // Calls work(p, solver, stop) on all threads; the calling one polls, also while it waits for the
  // others. Says whether it was stopped.
  template <class Work>
  bool for_each_unfinished(const GramMatrix<Real>& gram, const std::function<bool()>& poll,
                           const Work& work) {
    Poller poller(poll);
    std::atomic<bool> stopped{false};
    const int threads = std::max(options_.threads, 1);
    std::vector<std::unique_ptr<BinarySolver<Real>>> solvers(threads);
    for_each_chunk(
        threads, std::int64_t(problems_.size()), 1,
        [&](int thread, std::int64_t p, std::int64_t, std::int64_t) {
          const std::function<bool()> stop = [&, thread] {
            if (thread == 0 && poller.asks_to_stop()) stopped = true;
            return stopped.load();
          };
          if (stop() || problems_[p].finished) return;
          if (!solvers[thread])
            solvers[thread] = std::make_unique<BinarySolver<Real>>(
                gram, loss_weights_, options_.squared, options_.shrinking, options_.in_pairs,
                options_.room / threads);
          work(p, *solvers[thread], stop);
        },
        [&] {
          if (poller.asks_to_stop()) stopped = true;
        });
    return stopped;
  }

  std::vector<double> loss_weights_;
  Options options_;
  std::vector<BinaryProblem> problems_;
};

}  // namespace polymargin
