// One-vs-one: a binary problem for each pair of classes, on the rows of these two alone, each with
// a sequential driver of its own. The problems do not meet, so threads take whole problems, and a
// problem that has reached the tolerance is not touched again.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "polymargin/access/subset.hpp"
#include "polymargin/certify/gap.hpp"
#include "polymargin/driver/sequential.hpp"

namespace polymargin {

// When a binary problem is finished: the relative gap or, if `by_violation`, the largest violation.
struct Tolerance {
  double value;
  bool by_violation;

  bool reached(double primal, double dual, double violation) const {
    if (by_violation) return violation <= value;
    return primal - dual <= value * primal;
  }
};

template <class Real>
class OneVsOne {
 public:
  using Driver = Sequential<Real>;
  struct Pair {
    std::int32_t first, second;  // its classes; the second is the positive one
    std::unique_ptr<Driver> driver;
    EpochReport report;       // of its last epoch
    Certificate certificate;  // of the finished
    bool finished = false;
  };

  // `caps` and `labels` of all rows. The machine is a one-vs-rest machine: with one class it is a
  // binary one.
  OneVsOne(std::shared_ptr<const Rows<Real>> rows, std::vector<std::int32_t> labels,
           const std::vector<Real>& caps, int classes, std::shared_ptr<const Machine<Real>> machine,
           Tolerance tolerance, std::uint64_t seed, int threads)
      : labels_(std::move(labels)),
        rank_(labels_.size()),
        threads_(threads),
        tolerance_(tolerance),
        members_(classes) {
    for (std::int32_t i = 0; i < std::int32_t(labels_.size()); ++i) {
      rank_[i] = std::int32_t(members_[labels_[i]].size());
      members_[labels_[i]].push_back(i);
    }
    for (std::int32_t first = 0; first < classes; ++first) {
      for (std::int32_t second = first + 1; second < classes; ++second) {
        std::vector<std::int32_t> chosen = members_[first];
        chosen.insert(chosen.end(), members_[second].begin(), members_[second].end());
        std::vector<Example<Real>> examples(chosen.size());
        for (std::size_t c = 0; c < chosen.size(); ++c) {
          examples[c].label = labels_[chosen[c]] == second ? 0 : -1;
          examples[c].cap = caps[chosen[c]];
        }
        auto subset = std::make_shared<RowsSubset<Real>>(rows, std::move(chosen));
        pairs_.push_back({first,
                          second,
                          std::make_unique<Driver>(std::move(subset), std::move(examples), 1,
                                                   machine, seed + pairs_.size()),
                          {},
                          {}});
      }
    }
  }

  std::vector<Pair>& pairs() { return pairs_; }
  std::int64_t examples() const { return std::int64_t(labels_.size()); }

  // One epoch of every problem that is not finished. The report sums over all of them.
  EpochReport epoch(const std::function<bool()>& poll) {
    for (Pair& pair : pairs_) pair.report.visits = pair.report.moves = 0;  // if stopped before it
    const bool stopped = for_each_unfinished(poll, [&](Pair& pair, const auto& stop) {
      pair.report = pair.driver->epoch(stop);
      const EpochReport& report = pair.report;
      const double primal = report.half_norm + report.loss_sum;
      if (!stop() && tolerance_.reached(primal, report.dual, report.violation))
        certify_pair(pair, stop);
    });
    EpochReport total;
    total.stopped = stopped;
    for (const Pair& pair : pairs_) {
      total.visits += pair.report.visits;
      total.moves += pair.report.moves;
      total.violation = std::max(total.violation, pair.report.violation);
      total.dual += pair.report.dual;
      total.half_norm += pair.report.half_norm;
      total.loss_sum += pair.report.loss_sum;
    }
    return total;
  }

  void rebuild_weights() {
    for_each_unfinished([] { return false; },
                        [](Pair& pair, const auto&) { pair.driver->rebuild_weights(); });
  }

  // The sum of the certificates.
  Certificate certify(const std::function<bool()>& poll) {
    Certificate total;
    total.complete =
        !for_each_unfinished(poll, [&](Pair& pair, const auto& stop) { certify_pair(pair, stop); });
    for (const Pair& pair : pairs_) {
      total.primal += pair.certificate.primal;
      total.dual += pair.certificate.dual;
      total.violation = std::max(total.violation, pair.certificate.violation);
    }
    return total;
  }

  // Calls f(pair, number of the pair, number of the row in its problem) for the problems of a row,
  // in ascending order.
  template <class F>
  void for_each_problem(std::int64_t i, F&& f) {
    const std::int32_t label = labels_[i];
    const auto pair_of = [&](std::int32_t first, std::int32_t second) {
      const std::int64_t classes = std::int64_t(members_.size());
      return first * (2 * classes - first - 1) / 2 + (second - first - 1);
    };
    for (std::int32_t other = 0; other < std::int32_t(members_.size()); ++other) {
      if (other == label) continue;
      const bool positive = other < label;
      const std::int64_t p = positive ? pair_of(other, label) : pair_of(label, other);
      f(pairs_[p], p, rank_[i] + (positive ? std::int32_t(members_[other].size()) : 0));
    }
  }

 private:
  template <class Stop>
  void certify_pair(Pair& pair, const Stop& stop) {
    pair.driver->rebuild_weights();
    const Certificate certificate = polymargin::certify(*pair.driver, 1, stop);
    if (!certificate.complete) return;
    pair.certificate = certificate;
    pair.finished = tolerance_.reached(certificate.primal, certificate.dual, certificate.violation);
    if (!pair.finished) return;
    pair.report.half_norm = 0;
    pair.report.violation = certificate.violation;
    pair.report.dual = certificate.dual;
    pair.report.loss_sum = certificate.primal;
  }

  // Calls work(pair, stop) on all threads; the calling one polls. Says whether it was stopped.
  template <class Work>
  bool for_each_unfinished(const std::function<bool()>& poll, const Work& work) {
    Poller poller(poll);
    std::atomic<bool> stopped{false};
    for_each_chunk(threads_, std::int64_t(pairs_.size()), 1,
                   [&](int thread, std::int64_t p, std::int64_t, std::int64_t) {
                     const std::function<bool()> stop = [&, thread] {
                       if (thread == 0 && poller.asks_to_stop()) stopped = true;
                       return stopped.load();
                     };
                     if (!stop() && !pairs_[p].finished) work(pairs_[p], stop);
                   });
    return stopped;
  }

  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> rank_;  // position of a row among those of its class
  int threads_;
  Tolerance tolerance_;
  std::vector<std::vector<std::int32_t>> members_;  // rows by class
  std::vector<Pair> pairs_;
};

}  // namespace polymargin
