// Who is visited next. A schedule hands out rounds of examples; the driver visits them and reports
// what each visit brought.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polymargin/base/random.hpp"
#include "polymargin/driver/linear/inspector.hpp"

namespace polymargin {

class Schedule {
 public:
  explicit Schedule(std::vector<std::int32_t> examples) : examples_(std::move(examples)) {}
  virtual ~Schedule() = default;

  // Fills the next round; may leave it empty only if the inspector asks to stop.
  virtual void next_round(std::vector<std::int32_t>& round, Random& random,
                          Inspector& inspector) = 0;

  // A round of all examples, in which visits look at all classes: whether anything can still move
  // shows in it alone.
  virtual void all_permuted(std::vector<std::int32_t>& round, Random& random) {
    round = examples_;
    random.shuffle(std::span(round));
  }

  // Whether visits of this round look only at the classes in the support of the block.
  virtual bool support_only() const { return false; }

  virtual void report(std::int32_t /*example*/, double /*violation*/, double /*gain*/) {}

  // How many derivatives g_i^m a visit has evaluated, of how many there are.
  virtual void count_evaluations(int /*evaluated*/, int /*classes*/) {}

  // Says that an example will be reported soon.
  virtual void prefetch(std::int32_t /*example*/) const {}

  // Takes back the rest of a round, whose visits will not be made.
  virtual void take_back(std::span<const std::int32_t> /*rest*/) {}

  // What it has learned so far, for a later schedule of the same kind and examples to go on from.
  virtual std::vector<float> memory() const { return {}; }
  virtual void recall(std::span<const float> /*memory*/) {}

  const std::vector<std::int32_t>& examples() const { return examples_; }

 protected:
  std::vector<std::int32_t> examples_;
};

// A fresh random permutation of all examples in each round (000, section 2).
class PermutedSchedule final : public Schedule {
 public:
  using Schedule::Schedule;
  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector&) override {
    all_permuted(round, random);
  }
};

// One random permutation, and then round after round in its order (002, algorithm 1).
class CyclicSchedule final : public Schedule {
 public:
  using Schedule::Schedule;
  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector&) override {
    all_permuted(round, random);
  }
  void all_permuted(std::vector<std::int32_t>& round, Random& random) override {
    if (!shuffled_) random.shuffle(std::span(examples_));
    shuffled_ = true;
    round = examples_;
  }

 private:
  bool shuffled_ = false;
};

}  // namespace polymargin
