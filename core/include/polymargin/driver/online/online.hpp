// A kernel machine that learns one example at a time: LaRank, with GaLa's choice of support
// patterns on request (001, algorithms 1 and 2). After every example, steps on support patterns are
// made until it is time for the next one. A step is an exchange between two classes of a pattern,
// so it serves every machine that has exchanges (machine/exchange_machine.hpp says which, and why
// others have none); the paper's is Crammer-Singer. Gradients of classes that are no support
// classes are not even stored.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "polymargin/access/pattern_rows.hpp"
#include "polymargin/base/poller.hpp"
#include "polymargin/driver/online/gain_selection.hpp"
#include "polymargin/driver/online/patterns.hpp"
#include "polymargin/driver/online/step_rates.hpp"
#include "polymargin/machine/exchange_machine.hpp"

namespace polymargin {

struct OnlineSettings {
  bool by_gain;            // GaLa's choice; otherwise at random
  int hits;                // D of 001
  double violation;        // pairs whose gradients differ by no more are left alone
  std::int64_t budget;     // most support patterns
  bool wall_clock;         // cost of steps in seconds, not in counted work
  double evaluation_cost;  // of a kernel value, in terms of a sum
};

template <class Real>
class Online {
 public:
  Online(int classes, const ExchangeMachine& machine, const OnlineSettings& settings,
         const StepRates& rates, std::int64_t cache_bytes, std::uint64_t seed,
         typename PatternRows<Real>::Source source)
      : settings_(settings),
        patterns_(classes, machine),
        rows_(cache_bytes, std::move(source)),
        rates_(rates),
        selection_(settings.hits, settings.violation),
        random_(seed),
        gradients_(classes) {}
  Online(const Online&) = delete;

  void grow(std::int64_t places) {
    patterns_.grow(places);
    rows_.grow(places);
  }

  // Learns from arrivals, which are at free places, with the kernel of each of them with all places
  // below `width`, each of which took so many seconds. Returns how many it has learned from when it
  // was asked to stop, one at least. Those that have not become support patterns are gone then.
  std::int64_t process(std::span<const std::int32_t> places, const std::int32_t* labels,
                       const double* loss_weights, const Real* values, std::int64_t width,
                       double seconds_of_row, const std::function<bool()>& poll) {
    Poller poller(poll);
    rows_.arrive(places, values, width);
    seconds_of_row_ = seconds_of_row;
    const auto settle = [&] {
      rows_.settle(places, [&](std::int32_t i) { return patterns_.contains(i); });
    };
    std::size_t b = 0;
    bool stop = false;
    try {
      for (; b < places.size() && !stop; ++b) {
        const std::int32_t place = places[b];
        patterns_.at(place) = {labels[b], loss_weights[b], double(values[b * width + place])};
        stop = loss_weights[b] > 0 ? learn(place, poller) : poller.asks_to_stop();
      }
    } catch (...) {  // from a kernel
      settle();
      throw;
    }
    settle();
    return std::int64_t(b);
  }

  // Support patterns come again: a step on each that still is one, and steps after it. Without
  // them, nothing would happen where all examples have become support patterns.
  std::int64_t revisit(std::span<const std::int32_t> places, const std::function<bool()>& poll) {
    Poller poller(poll);
    std::size_t b = 0;
    for (bool stop = false; b < places.size() && !stop; ++b) {
      if (patterns_.contains(places[b]))
        make(StepKind::old, [&] { return process_old(places[b]); });
      stop = reprocess(poller);
    }
    return std::int64_t(b);
  }

  // A support pattern from elsewhere, without support classes yet.
  void insert(std::int32_t place, const Pattern& pattern) {
    patterns_.at(place) = pattern;
    patterns_.insert(place);
    rows_.set_width(std::max<std::int64_t>(rows_.width(), place + 1));
  }
  // Computes all stored gradients from the variables.
  void rebuild() {
    candidate_ = {};
    SupportClasses& support = patterns_.support();
    rows_.for_each(patterns_.list(), [&](std::int32_t place, const Real* row) {
      for (const auto entry : support.entries(place))
        support.column(entry.label).gradients[entry.at] =
            gradient(place, entry.label, row, support.coefficient(entry));
    });
  }
  void clear() {
    candidate_ = {};
    while (!patterns_.list().empty()) drop(patterns_.list().back());
  }

  Patterns& patterns() { return patterns_; }
  const Patterns& patterns() const { return patterns_; }
  PatternRows<Real>& rows() { return rows_; }
  const PatternRows<Real>& rows() const { return rows_; }
  StepRates& rates() { return rates_; }
  Random& random() { return random_; }
  Candidate& candidate() { return candidate_; }

  // Calls of processNew, processOld and processOptimize, whether or not they changed anything.
  std::array<std::int64_t, kStepKinds> steps{};
  // Counted work: kernel values, and terms of sums (gradients updated or computed, and what
  // GaLa's choice is worth in such terms). Kernel values of an arrival count for the patterns there
  // are.
  std::int64_t evaluations = 0, terms = 0;
  double work() const {
    return settings_.evaluation_cost * double(evaluations) + double(terms) +
           kStepCost * double(std::accumulate(steps.begin(), steps.end(), std::int64_t(0)));
  }

 private:
  // One draw of processOptimize makes so many steps: each of them is far cheaper than the others.
  static constexpr int kOptimizations = 10;
  // What a step costs apart from its sums, and a look at a candidate, in terms. Looks and updates
  // of gradients were timed by the cycle counter: a look took 54 to 66 terms on usps and 31 to 40
  // on letter.
  static constexpr double kStepCost = 300;
  static constexpr std::int64_t kLookCost = 45;

  // Both say whether they were asked to stop, which is asked once.
  bool learn(std::int32_t place, Poller& poller) {
    make(StepKind::fresh, [&] { return process_new(place); });
    return reprocess(poller);
  }
  bool reprocess(Poller& poller) {
    bool stop = poller.asks_to_stop();
    while (!stop && !patterns_.list().empty()) {
      const StepKind kind = rates_.draw(random_);
      if (kind == StepKind::fresh) break;
      if (kind == StepKind::old)
        make(kind, [&] { return process_old(choose_old()); });
      else
        make(kind, [&] { return optimize(); });
      stop = poller.asks_to_stop();
    }
    while (std::int64_t(patterns_.list().size()) > settings_.budget)
      remove(patterns_.least_important());
    return stop;
  }

  // Makes steps and tells the rates what they have gained, and at which cost.
  template <class Steps>
  void make(StepKind kind, Steps&& make_steps) {
    using Clock = std::chrono::steady_clock;
    const auto start = settings_.wall_clock ? Clock::now() : Clock::time_point();
    const double before = work();
    const double gain = make_steps();
    double cost = work() - before;
    if (settings_.wall_clock)
      cost = std::chrono::duration<double>(Clock::now() - start).count() +
             (kind == StepKind::fresh ? seconds_of_row_ : 0);
    rates_.learn(kind, gain, cost);
  }

  // Each of these returns what the dual gains.
  double process_new(std::int32_t place) {
    ++steps[int(StepKind::fresh)];
    evaluations += std::int64_t(patterns_.list().size());
    const Real* const row = rows_.row(place);
    all_gradients(place, row);
    const std::int32_t label = patterns_.at(place).label, down = lowest(place);
    if (down == label || !violates(label, down)) return 0;
    patterns_.insert(place);
    patterns_.support().add(place, label, 0, gradients_[label]);
    return step(place, label, down, row);
  }

  std::int32_t choose_old() {
    const Candidate candidate = std::exchange(candidate_, {});
    return candidate ? candidate.place : patterns_.draw(random_);
  }
  double process_old(std::int32_t place) {
    ++steps[int(StepKind::old)];
    const Real* const row = row_of(place);
    all_gradients(place, row);
    const std::int32_t up = highest(place), down = lowest(place);
    return up >= 0 && violates(up, down) ? step(place, up, down, row) : 0;
  }

  double optimize() {
    double gain = 0;
    for (int n = 0; n < kOptimizations && !patterns_.list().empty(); ++n)
      gain += process_optimize();
    return gain;
  }

  double process_optimize() {
    ++steps[int(StepKind::optimize)];
    Candidate pair = std::exchange(candidate_, {});
    if (!pair) pair.place = patterns_.draw(random_);
    known_gradients(pair.place);
    if (pair.up < 0) choose_classes(pair);
    if (pair.up < 0 || !violates(pair.up, pair.down)) return 0;
    return step(pair.place, pair.up, pair.down, row_of(pair.place));
  }

  const Real* row_of(std::int32_t place) {
    if (!rows_.knows(place)) evaluations += std::int64_t(patterns_.list().size());
    return rows_.row(place);
  }

  double gradient(std::int32_t place, std::int32_t label, const Real* row, double beta) const {
    return patterns_.machine().gradient(patterns_.is_label(place, label),
                                        patterns_.at(place).loss_weight,
                                        patterns_.support().column(label).score(row), beta);
  }

  // Of all classes: (5), computed where it is not stored.
  void all_gradients(std::int32_t place, const Real* row) {
    const SupportClasses& support = patterns_.support();
    known_gradients(place);
    for (std::int32_t label = 0; label < support.classes(); ++label) {
      if (support.find(place, label)) continue;
      gradients_[label] = gradient(place, label, row, 0);
      terms += support.column(label).size();
    }
  }
  void known_gradients(std::int32_t place) {
    for (const auto entry : patterns_.support().entries(place))
      gradients_[entry.label] = patterns_.support().gradient(entry);
  }

  bool violates(std::int32_t up, std::int32_t down) const {
    return gradients_[up] - gradients_[down] > settings_.violation;
  }

  // Of the classes that may fall, support classes or not.
  std::int32_t lowest(std::int32_t place) const {
    const auto entries = patterns_.support().entries(place);
    auto entry = entries.begin();  // in the order of labels
    std::int32_t best = -1;
    for (std::int32_t label = 0; label < std::int32_t(gradients_.size()); ++label) {
      const bool falls =
          entry == entries.end() || entry->label != label || patterns_.can_fall(place, *entry++);
      if (falls && (best < 0 || gradients_[label] < gradients_[best])) best = label;
    }
    return best;
  }
  // Of the classes that may grow, which are support classes; -1 if there is none.
  std::int32_t highest(std::int32_t place) const {
    std::int32_t best = -1;
    for (const auto entry : patterns_.support().entries(place))
      if (patterns_.can_rise(place, entry) &&
          (best < 0 || gradients_[entry.label] > gradients_[best]))
        best = entry.label;
    return best;
  }
  // The support classes that violate their condition most.
  void choose_classes(Candidate& pair) const {
    for (const auto entry : patterns_.support().entries(pair.place))
      if (patterns_.can_fall(pair.place, entry) &&
          (pair.down < 0 || gradients_[entry.label] < gradients_[pair.down]))
        pair.down = entry.label;
    pair.up = highest(pair.place);
  }

  // Moves as much as is best from `down` to `up`, and updates all gradients that are stored.
  double step(std::int32_t place, std::int32_t up, std::int32_t down, const Real* row) {
    SupportClasses& support = patterns_.support();
    if (!support.find(place, down)) support.add(place, down, 0, gradients_[down]);
    const auto grows = *support.find(place, up), falls = *support.find(place, down);
    const ExchangeStep best = patterns_.exchange(place, grows, falls);
    move(place, grows, best.length, best.at_upper, patterns_.upper(place, up), row);
    move(place, falls, -best.length, best.at_lower, patterns_.lower(place, down), row);
    terms += support.column(up).size() + support.column(down).size();
    if (best.at_upper && !patterns_.is_label(place, up)) leave(place, up);
    if (settings_.by_gain) {
      candidate_ = selection_.select(patterns_, up, down, random_);
      terms += kLookCost * selection_.looks();
    }
    return best.gain;
  }

  // A coefficient, to its bound or by a length, and the gradients of its class.
  void move(std::int32_t place, SupportClasses::Entry entry, double length, bool to_bound,
            double bound, const Real* row) {
    SupportColumn& column = patterns_.support().column(entry.label);
    double& beta = column.coefficients[entry.at];
    beta = to_bound ? bound : beta + length;
    column.update_gradients(row, length);
    column.gradients[entry.at] -= patterns_.penalty(place, entry.label) * length;
  }

  // A class is no longer a support class; a pattern with its label alone is no support pattern.
  void leave(std::int32_t place, std::int32_t label) {
    patterns_.support().remove(place, label);
    if (patterns_.support().entries(place).size() == 1) drop(place);
  }

  // Without the pattern, the others have other gradients.
  void remove(std::int32_t place) {
    const Real* const row = row_of(place);
    for (const auto entry : patterns_.support().entries(place)) {
      SupportColumn& column = patterns_.support().column(entry.label);
      column.update_gradients(row, -column.coefficients[entry.at]);
      terms += column.size();
    }
    drop(place);
  }

  void drop(std::int32_t place) {
    if (candidate_.place == place) candidate_ = {};
    patterns_.erase(place);
    rows_.forget(place);
  }

  OnlineSettings settings_;
  Patterns patterns_;
  PatternRows<Real> rows_;
  StepRates rates_;
  GainSelection selection_;
  Random random_;
  Candidate candidate_;
  std::vector<double> gradients_;  // of the pattern in hand, by class
  double seconds_of_row_ = 0;      // that the kernel of an arrival took
};

}  // namespace polymargin
