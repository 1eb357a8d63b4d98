// The certificate: primal and dual objective of the weights and dual variables a driver holds, and
// the largest violation of the optimality conditions. Weak duality makes their difference a bound
// on how far the model is from the optimum, whatever the driver did to get there.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <vector>

#include "polymargin/base/parallel.hpp"
#include "polymargin/certify/certificate.hpp"
#include "polymargin/driver/sequential.hpp"

namespace polymargin {

// Scores every row against the fixed W. The dual value is exact after rebuild_weights(). `poll` is
// asked now and then whether to stop. Without `norm` the primal lacks 1/2 |W|^2: where rows are a
// part of all it is wanted once, and takes a pass over W.
template <class Real, class W>
Certificate certify(
    Sequential<Real, W>& driver, int threads,
    const std::function<bool()>& poll = [] { return false; }, bool norm = true) {
  constexpr std::int64_t kChunk = 1024;
  Certificate certificate;
  const std::int64_t size = driver.rows().size();
  struct Partial {
    double loss = 0, violation = 0;
  };
  std::vector<Partial> partials((size + kChunk - 1) / kChunk);
  std::vector<Real> losses(size);
  std::vector<Workspace<Real>> workspaces;
  for (int t = 0; t < std::max(threads, 1); ++t) workspaces.emplace_back(driver.layout());

  Poller poller(poll);
  std::atomic<bool> stop{false};
  for_each_chunk(threads, size, kChunk,
                 [&](int thread, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                   if (thread == 0 && poller.asks_to_stop()) stop = true;
                   if (stop) return;
                   Workspace<Real>& workspace = workspaces[thread];
                   Partial& partial = partials[chunk];
                   for (std::int64_t i = begin; i < end; ++i) {
                     const Example<Real>& example = driver.examples()[i];
                     driver.rows().scores(i, driver.weights(), workspace.score.data(), 0,
                                          driver.layout().packs);
                     const Block<Real> block = driver.full_block(std::int32_t(i), workspace);
                     const Step<Real> step =
                         driver.machine().step(block, std::numeric_limits<Real>::infinity());
                     workspace.clear_dual();
                     losses[i] = step.loss;
                     partial.loss += double(example.cap) * double(step.loss);
                     if (example.cap > 0 && example.curvature >= kEmptyCurvature<Real>)
                       partial.violation = std::max(partial.violation, double(step.violation));
                   }
                 });

  certificate.complete = !stop;
  if (stop) return certificate;
  certificate.dual = driver.dual();
  if (norm) certificate.primal = driver.weights().squared_norm() / 2;
  for (const Partial& partial : partials) {
    certificate.primal += partial.loss;
    certificate.losses += partial.loss;
    certificate.violation = std::max(certificate.violation, partial.violation);
  }
  driver.set_losses(losses);
  return certificate;
}

}  // namespace polymargin
