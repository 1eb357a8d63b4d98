// Binary problems that do not meet: pairs of classes, or classes against the rest, one by one or in
// groups. Each, or each group, has a sequential driver of its own. Threads take whole drivers, and
// one that has reached the tolerance is not touched again. If the gap of each is within a share of
// its own objective, the sum of the gaps is within that share of the sum.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "polymargin/driver/linear/sequential.hpp"
#include "polymargin/driver/tolerance.hpp"

namespace polymargin {

inline constexpr std::int32_t kRest = -1;  // stands for all classes but one

template <class Real>
class BinaryProblems {
 public:
  using Driver = Sequential<Real>;
  struct Binary {
    std::int32_t first, second;  // its classes; the second is the positive one
    int columns;                 // of a group: so many classes are positive, one after the other
    std::unique_ptr<Driver> driver;
    EpochReport report = {};       // of its last epoch
    Certificate certificate = {};  // of the finished
    bool finished = false;
    int epochs = 0;
    int next_check = 0;  // the epoch before which it is not certified again
  };

  std::vector<Binary>& problems() { return problems_; }
  std::int64_t examples() const { return examples_; }

  // One epoch of every problem that is not finished. The report sums over all of them.
  EpochReport epoch(const std::function<bool()>& poll) {
    for (Binary& binary : problems_)  // if stopped before it
      binary.report.visits = binary.report.moves = 0;
    const bool stopped = for_each_unfinished(poll, [&](Binary& binary, const auto& stop) {
      binary.report = binary.driver->epoch(stop);
      ++binary.epochs;
      const EpochReport& report = binary.report;
      const double primal = report.half_norm + report.loss_sum;
      if (!stop() && binary.epochs >= binary.next_check &&
          tolerance_.reached(primal, report.dual, report.violation))
        certify_one(binary, stop);
    });
    EpochReport total;
    total.stopped = stopped;
    for (const Binary& binary : problems_) {
      total.visits += binary.report.visits;
      total.moves += binary.report.moves;
      total.violation = std::max(total.violation, binary.report.violation);
      total.dual += binary.report.dual;
      total.half_norm += binary.report.half_norm;
      total.loss_sum += binary.report.loss_sum;
    }
    return total;
  }

  void rebuild_weights() {
    for_each_unfinished([] { return false; },
                        [](Binary& binary, const auto&) { binary.driver->rebuild_weights(); });
  }

  // The sum of the certificates.
  Certificate certify(const std::function<bool()>& poll) {
    Certificate total;
    total.complete = !for_each_unfinished(
        poll, [&](Binary& binary, const auto& stop) { certify_one(binary, stop); });
    for (const Binary& binary : problems_) {
      total.primal += binary.certificate.primal;
      total.dual += binary.certificate.dual;
      total.violation = std::max(total.violation, binary.certificate.violation);
    }
    return total;
  }

 protected:
  BinaryProblems(std::int64_t examples, Tolerance tolerance, int threads)
      : examples_(examples), tolerance_(tolerance), threads_(threads) {}

  // `labels` and `loss_weights` of the rows of the problem. The machine is a one-vs-rest machine:
  // with one class it is a binary one.
  template <class LabelOf, class CapOf>
  void add(std::int32_t first, std::int32_t second, int columns,
           std::shared_ptr<const Rows<Real>> rows, const LabelOf& label_of,
           const CapOf& loss_weight_of, std::shared_ptr<const Machine<Real>> machine,
           std::uint64_t seed) {
    std::vector<Example<Real>> examples(std::size_t(rows->size()));
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const std::int32_t column = label_of(i) - second;
      examples[i].label = column >= 0 && column < columns ? column : -1;
      examples[i].loss_weight = loss_weight_of(i);
    }
    problems_.push_back({first, second, columns,
                         std::make_unique<Driver>(std::move(rows), std::move(examples), columns,
                                                  std::move(machine), seed + problems_.size())});
  }

 private:
  // Not again before a tenth of the epochs so far, as the certificate takes a pass over the rows.
  template <class Stop>
  void certify_one(Binary& binary, const Stop& stop) {
    const Certificate certificate = binary.driver->certify(1, stop);
    if (!certificate.complete) return;
    binary.next_check = binary.epochs + std::max(1, binary.epochs / 10);
    binary.certificate = certificate;
    binary.finished =
        tolerance_.reached(certificate.primal, certificate.dual, certificate.violation);
    if (!binary.finished) return;
    binary.report.half_norm = 0;
    binary.report.violation = certificate.violation;
    binary.report.dual = certificate.dual;
    binary.report.loss_sum = certificate.primal;
  }

  // Calls work(binary, stop) on all threads; the calling one polls, also while it waits for the
  // others. Says whether it was stopped.
  template <class Work>
  bool for_each_unfinished(const std::function<bool()>& poll, const Work& work) {
    Poller poller(poll);
    std::atomic<bool> stopped{false};
    for_each_chunk(
        threads_, std::int64_t(problems_.size()), 1,
        [&](int thread, std::int64_t p, std::int64_t, std::int64_t) {
          const std::function<bool()> stop = [&, thread] {
            if (thread == 0 && poller.asks_to_stop()) stopped = true;
            return stopped.load();
          };
          if (!stop() && !problems_[p].finished) work(problems_[p], stop);
        },
        [&] {
          if (poller.asks_to_stop()) stopped = true;
        });
    return stopped;
  }

  std::int64_t examples_;  // of all problems together
  Tolerance tolerance_;
  int threads_;
  std::vector<Binary> problems_;
};

}  // namespace polymargin
