// Losses and violations of rows under fixed weights: a pass over the data, which threads share.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "polymargin/access/label_sets.hpp"
#include "polymargin/access/rows.hpp"
#include "polymargin/base/parallel.hpp"
#include "polymargin/base/poller.hpp"
#include "polymargin/certify/tally.hpp"

namespace polymargin {

// What a linear driver shows of itself. Blocks are read, and dense ones handed to the machine where
// they are.
template <class Real, class W>
struct LinearState {
  const Rows<Real>& rows;
  const W& weights;
  const Machine<Real>& machine;
  std::span<const Example<Real>> examples;
  DualBlocks<Real>& blocks;
  const LabelSets* label_sets = nullptr;  // if examples have any number of labels
};

// Calls measure(thread, begin, end, tally) for chunks of the rows, on threads, and sums up what
// they tally. `poll` is asked now and then whether to stop.
template <class Measure>
Tally measure_chunks(std::int64_t size, int threads, const std::function<bool()>& poll,
                     const Measure& measure) {
  constexpr std::int64_t kChunk = 1024;
  std::vector<Tally> tallies((size + kChunk - 1) / kChunk);
  Poller poller(poll);
  std::atomic<bool> stop{false};
  for_each_chunk(threads, size, kChunk,
                 [&](int thread, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
                   if (thread == 0 && poller.asks_to_stop()) stop = true;
                   if (!stop) measure(thread, begin, end, tallies[chunk]);
                 });
  Tally total;
  total.complete = !stop;
  for (const Tally& tally : tallies) total.add(tally);
  return total;
}

// Scores every row against W, in the precision of the rows; sums are in double precision. Writes
// the loss of each row, unless it is stopped.
template <class Real, class W>
Tally measure_rows(const LinearState<Real, W>& state, int threads,
                   const std::function<bool()>& poll, std::vector<Real>& losses) {
  const ClassLayout& layout = state.weights.layout();
  std::vector<Workspace<Real>> workspaces;
  for (int t = 0; t < std::max(threads, 1); ++t) workspaces.emplace_back(layout);
  losses.resize(state.rows.size());
  return measure_chunks(
      state.rows.size(), threads, poll,
      [&](int thread, std::int64_t begin, std::int64_t end, Tally& tally) {
        Workspace<Real>& workspace = workspaces[thread];
        for (std::int64_t i = begin; i < end; ++i) {
          const Example<Real>& example = state.examples[i];
          state.rows.scores(i, state.weights, workspace.score.data(), 0, layout.packs);
          if (state.label_sets != nullptr) state.label_sets->flip(i, workspace.score.data());
          const Block<Real> block = workspace.full_block(example, state.blocks, i, layout);
          const Step<Real> step = state.machine.step(block, std::numeric_limits<Real>::infinity());
          workspace.clear_dual();
          losses[i] = step.loss;
          tally.add_loss(example, double(step.loss), double(step.violation));
        }
      });
}

}  // namespace polymargin
