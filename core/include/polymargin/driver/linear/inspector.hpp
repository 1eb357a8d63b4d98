// What a schedule may ask about the examples while it chooses the next ones.
#pragma once

#include <cstdint>

#include "polymargin/base/poller.hpp"

namespace polymargin {

class Inspector {
 public:
  virtual ~Inspector() = default;

  // Is the block of example i at a vertex of its feasible set?
  virtual bool settled(std::int32_t i) = 0;

  // By how much example i violates its optimality conditions now: the price of a visit.
  virtual double violation(std::int32_t i) = 0;

  // Is the run to end? To be asked during long searches, which then leave the round empty.
  virtual bool asks_to_stop() = 0;
};

// Looks at the examples of a driver, which has settled(i) and violation(i).
template <class Driver>
class DriverInspector final : public Inspector {
 public:
  DriverInspector(Driver& driver, Poller& poller) : driver_(driver), poller_(poller) {}

  bool settled(std::int32_t i) override { return driver_.settled(i); }
  double violation(std::int32_t i) override { return driver_.violation(i); }
  bool asks_to_stop() override { return stopped_ = stopped_ || poller_.asks_to_stop(); }

 private:
  Driver& driver_;
  Poller& poller_;
  bool stopped_ = false;
};

}  // namespace polymargin
