// What the drivers have in common as Python objects: arrays, reports, and signals.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <vector>

#include "base/numpy.hpp"
#include "polymargin/certify/certificate.hpp"
#include "polymargin/driver/report.hpp"

namespace polymargin::bindings {

namespace nb = nanobind;

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Trains without the GIL and asks for signals now and then.
class Interruptible {
 public:
  bool interrupted() const { return interrupted_; }

 protected:
  // Runs run(poll), whose poll asks to stop after so many seconds, and after a signal.
  template <class Run>
  auto for_seconds(double seconds, Run&& run) {
    nb::gil_scoped_release released;
    const auto start = std::chrono::steady_clock::now();
    return run([&] {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      return passed.count() > seconds || signalled();
    });
  }

  // run(poll) trains for at most `seconds`; a pending signal ends it.
  EpochReport run_epoch(double seconds,
                        const std::function<EpochReport(const std::function<bool()>&)>& run) {
    EpochReport report = for_seconds(seconds, run);
    // An epoch may be too short to be polled.
    report.stopped |= signalled();
    return report;
  }

  // (primal, dual, violation), or None if a signal came in between.
  nb::object certificate(const std::function<Certificate(const std::function<bool()>&)>& certify) {
    Certificate certificate;
    {
      nb::gil_scoped_release released;
      certificate = certify([&] { return signalled(); });
    }
    if (!certificate.complete) return nb::none();
    return nb::make_tuple(certificate.primal, certificate.dual, certificate.violation);
  }

  // The handler of a signal raised (KeyboardInterrupt, usually): the caller raises it again.
  bool signalled() {
    nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() == 0) return false;
    PyErr_Clear();
    interrupted_ = true;
    return true;
  }

  // A driver that goes on after a signal forgets it.
  void forget_signals() { interrupted_ = false; }

 private:
  bool interrupted_ = false;
};

}  // namespace polymargin::bindings
