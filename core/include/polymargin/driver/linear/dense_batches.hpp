// Visits of dense rows in batches, which threads share: the scores X_B W of the next rows of the
// schedule and the products X_B X_B^T of the rows with each other are computed for all of them;
// then come the steps, in order, each with scores that are corrected by sum_l G_il db_l for the
// steps l before it; and then W += X_B^T dB. This is the sequential method, but for rounding. What
// is summed up in which order does not depend on the number of threads: ranges of features add
// their parts of the scores one after the other. One thread gains as well: what it reads of W
// serves eight rows.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "polymargin/access/batch_products.hpp"
#include "polymargin/access/storage.hpp"
#include "polymargin/base/shares.hpp"
#include "polymargin/base/start_threads.hpp"

namespace polymargin {

template <class Real>
class DenseBatches {
 public:
  using Storage = DenseStorage<Real, true>;
  using Numbers = std::span<const std::int32_t>;

  // Null where batches do not pay: for sparse rows, whose features differ, and for short ones.
  static std::unique_ptr<DenseBatches> make(const Rows<Real>& rows, const ClassLayout& layout) {
    const auto* dense = dynamic_cast<const RowsOf<Real, Storage>*>(&rows);
    if (dense == nullptr || dense->storage().columns < kLeastFeatures) return nullptr;
    return std::make_unique<DenseBatches>(dense->storage(), dense->bias(), layout);
  }

  DenseBatches(const Storage& storage, Real bias, const ClassLayout& layout)
      : storage_(storage), bias_(bias), layout_(layout) {
    const std::int64_t features = storage.columns;
    const std::int64_t parts =
        std::min<std::int64_t>(std::bit_floor(std::uint64_t(features / kLeastWidth)), kMostParts);
    for (std::int64_t part = 0; part < parts; ++part)
      parts_.push_back({features * part / parts, features * (part + 1) / parts});
    scores_.resize(parts_.size() * kRows * layout_.stride);
    for (AlignedArray<Real>& gram : gram_) gram.resize(kRows * kRows);
    moves_.changes.resize(std::size_t(kRows) * layout.stride);
  }

  ~DenseBatches() {
    stopping_ = true;
    opened_.reach_and_wake(std::numeric_limits<std::int64_t>::max());
    for (std::thread& helper : helpers_) helper.join();
  }
  DenseBatches(const DenseBatches&) = delete;
  DenseBatches& operator=(const DenseBatches&) = delete;

  // To be told before the first visit, and once.
  void set_threads(int threads) {
    if (storage_.columns * layout_.packs < kLeastShared) return;
    helpers_ = start_threads(threads - 1, [this](int helper) { help(helper); });
    shares_ = std::vector<Share>(helpers_.size());
    share_out(helpers_.size() + 1);
    opened_.reach_and_wake(1);
  }

  // How many visits are to be made at once: about a million products of a number and a vector.
  std::int64_t visits_at_once() const {
    const std::int64_t products = std::max<std::int64_t>(storage_.columns * layout_.packs, 1);
    return std::clamp<std::int64_t>((1 << 20) / products, 4 * kRows, 64 * kRows);
  }

  // Visits these rows in order: step(i, scores, change) is to write the change of the block of row
  // i, as it goes into the weights, or to return false if there is none. In each round this thread
  // takes the steps of one batch, while others compute the products of the next one's rows; then
  // each carries on with ranges of features of its own.
  template <class StepOf>
  void visit(Numbers rows, Weights<Real>& weights, StepOf&& step) {
    call_ = {rows, &weights, rounds_};
    const std::int64_t batches = std::int64_t(rows.size() + kRows - 1) / kRows;
    for (std::int64_t number = 0; number <= batches; ++number) {
      const std::int64_t round = rounds_++;
      if (!helpers_.empty()) opened_.reach_and_wake(round + 2);
      if (number > 0) steps(number - 1, step);
      stepped_.reach(round + 1);
      pass(number, 0);
      if (helpers_.empty()) gram(number, 0);
      for (int helper = 0; helper < int(helpers_.size()); ++helper)
        shares_[helper].do_or_wait(round, [&] { take_part(number, helper, round); });
    }
  }

 private:
  // What one of the other threads does. If it is late, the first does it, and does not wait.
  void help(int helper) {
    opened_.sleep_until(1);  // there is all that it needs
    for (std::int64_t round = 0;; ++round) {
      const std::int64_t opened = opened_.sleep_until(round + 2);
      if (stopping_) return;
      round = opened - 2;
      if (!shares_[helper].take(round)) continue;
      take_part(round - call_.first_round, helper, round);
      shares_[helper].finish(round);
    }
  }

  void take_part(std::int64_t number, int helper, std::int64_t round) {
    gram(number, helper);
    if (first_[helper + 1] == first_[helper + 2]) return;
    // Rows come from memory while it waits.
    for (std::int32_t i : batch_of(number + 1)) prefetch(i, storage_.columns);
    stepped_.wait_for(round + 1);
    pass(number, helper + 1);
  }

  // Rows of a batch: every step is corrected for half as many, each of them as dear as 1/lanes of
  // the scores of a pack of classes.
  static constexpr int kRows = 16;
  static constexpr std::int64_t kLeastFeatures = 128;
  // Products of a row, below which threads wait for each other longer than they work: a batch of
  // 256 takes 3 microseconds, and a message between two cores up to half of one.
  static constexpr std::int64_t kLeastShared = 512;
  // Ranges of features: each has sums of its own, which cost nothing beside so many products.
  static constexpr std::int64_t kLeastWidth = 96, kMostParts = 32;

  // What all threads read. Others read what one writes: on cache lines of its own.
  struct alignas(128) Call {
    Numbers rows;
    Weights<Real>* weights = nullptr;
    std::int64_t first_round = 0;
  };
  // What the steps of a batch leave behind.
  struct alignas(128) Moves {
    int count = 0;
    int who[kRows];
    AlignedArray<Real> changes;
  };

  // Empty before the first and after the last.
  Numbers batch_of(std::int64_t number) const {
    if (number < 0) return {};
    const std::size_t begin = std::min(call_.rows.size(), std::size_t(number) * kRows);
    return call_.rows.subspan(begin, std::min<std::size_t>(kRows, call_.rows.size() - begin));
  }

  struct Places {
    const Real* x[kRows];
  };
  Places places_of(Numbers batch) const {
    Places places;
    for (std::size_t r = 0; r < batch.size(); ++r) places.x[r] = storage_.row(batch[r]).values;
    return places;
  }

  // The products of the rows of a batch with those that come before: a share of their blocks.
  void gram(std::int64_t number, int share) {
    const int shares = std::max(int(helpers_.size()), 1);
    const Numbers batch = batch_of(number);
    const Places places = places_of(batch);
    Real* const result = gram_[number % 2].data();
    const int size = int(batch.size());
    int block = 0;
    for (int first = 0; first < size; first += kGramBlock)
      for (int other = 0; other <= first; other += kGramBlock)
        if (block++ % shares == share)
          gram_block(places.x + first, std::min(kGramBlock, size - first), places.x + other,
                     std::min(kGramBlock, size - other), storage_.columns,
                     result + first * kRows + other, kRows);
  }

  // What the last batch has changed comes into the weights of a range of features; these make their
  // parts of the scores of the next.
  void pass(std::int64_t number, int share) {
    const Numbers batch = batch_of(number);
    const Places last = places_of(batch_of(number - 1)), next = places_of(batch);
    for (int r = 0; share > 0 && r < kRows; ++r)  // they are far away
      __builtin_prefetch(moves_.changes.data() + r * layout_.stride);
    const Real *x[kRows], *change[kRows];
    const int moved = number > 0 ? moves_.count : 0;
    for (int move = 0; move < moved; ++move) {
      x[move] = last.x[moves_.who[move]];
      change[move] = moves_.changes.data() + move * layout_.stride;
    }
    const std::size_t width = parts_.size() / blocks_;
    for (std::size_t begin = width * first_[share]; begin < width * first_[share + 1];
         begin += width) {
      for (std::size_t part = begin; part < begin + width; ++part) {
        batch_add(x, change, moved, parts_[part], *call_.weights, bias_);
        batch_scores(next.x, int(batch.size()), parts_[part], *call_.weights, bias_,
                     part_of_scores(part));
      }
      sum_scores(begin, width, 1, 0, int(batch.size()) * layout_.stride);
    }
  }

  // Which blocks of ranges each thread has. With two, the other one computes all products of rows,
  // which is about as long as the steps and a third of the blocks.
  void share_out(std::size_t threads) {
    blocks_ = std::min<std::size_t>(parts_.size(), threads == 1   ? 1
                                                   : threads <= 4 ? 4
                                                                  : kMostParts);
    const std::size_t of_others =
        std::max<std::size_t>(threads == 2 ? blocks_ / 4 : blocks_ / threads, 1);
    first_.assign(threads + 1, blocks_);
    first_[0] = 0;
    for (std::size_t thread = threads - 1; thread > 0; --thread)
      first_[thread] = std::max(first_[thread + 1], of_others + 1) - of_others;
  }

  // Adds up the scores of `count` ranges, each of them `step` ranges, into those of the first: in
  // pairs, and pairs of pairs, whoever has which of them. Values [first, end) of each.
  void sum_scores(std::size_t begin, std::size_t count, std::size_t step, int first, int end) {
    for (std::size_t half = step; half < count * step; half *= 2)
      for (std::size_t part = begin; part < begin + count * step; part += 2 * half) {
        Real* const sum = part_of_scores(part);
        const Real* const other = part_of_scores(part + half);
        for (int at = first; at < end; ++at) sum[at] += other[at];
      }
  }

  Real* part_of_scores(std::int64_t part) { return scores_.data() + part * kRows * layout_.stride; }

  template <class StepOf>
  void steps(std::int64_t number, StepOf&& step) {
    const Numbers batch = batch_of(number), later = batch_of(number + 2);
    moves_.count = 0;
    ask_for(number);
    const std::int64_t own = parts_[parts_.size() / blocks_ * first_[1] - 1].end;
    for (int r = 0; r < int(batch.size()); ++r) {
      if (std::size_t(r) < later.size()) prefetch(later[r], own);
      Real* const scores = part_of_scores(0) + r * layout_.stride;
      correct(gram_[number % 2].data() + r * kRows, r, scores);
      if (step(batch[r], scores, moves_.changes.data() + moves_.count * layout_.stride))
        moves_.who[moves_.count++] = r;
    }
  }

  // What others have written of a batch is far away: all of it at once.
  void ask_for(std::int64_t number) {
    if (helpers_.empty()) return;
    const std::size_t width = parts_.size() / blocks_;
    for (int r = 0; r < kRows; ++r) {
      __builtin_prefetch(gram_[number % 2].data() + r * kRows);
      for (std::size_t block = first_[1]; block < blocks_; ++block)
        __builtin_prefetch(part_of_scores(block * width) + r * layout_.stride);
    }
  }

  // The first values of a row.
  void prefetch(std::int32_t i, std::int64_t features) const {
    const char* const row = reinterpret_cast<const char*>(storage_.row(i).values);
    const std::int64_t size = features * std::int64_t(sizeof(Real));
    for (std::int64_t at = 0; at < size; at += 64) __builtin_prefetch(row + at);
  }

  void correct(const Real* gram, int r, Real* scores) {
    const int first = r * layout_.stride;
    sum_scores(0, blocks_, parts_.size() / blocks_, first, first + layout_.stride);
    const Real constant = bias_ * bias_;
    with_pack_bytes(layout_.bytes, [&](auto bytes) {
      using V = Pack<Real, bytes()>;
      for (int m = 0; m < layout_.stride; m += bytes() / int(sizeof(Real))) {
        V sum = load<V>(scores + m);
        for (int moved = 0; moved < moves_.count; ++moved)
          sum += (gram[moves_.who[moved]] + constant) *
                 load<V>(moves_.changes.data() + moved * layout_.stride + m);
        store(scores + m, sum);
      }
    });
  }

  Storage storage_;
  Real bias_;
  ClassLayout layout_;
  std::vector<FeatureRange> parts_;
  AlignedArray<Real> scores_;   // by part and row
  AlignedArray<Real> gram_[2];  // of a batch: products of its rows with those before
  Moves moves_;
  // Ranges in blocks, powers of two, and the first block of each thread.
  std::size_t blocks_ = 1;
  std::vector<std::size_t> first_{0, 1};
  std::int64_t rounds_ = 0;  // of all calls
  Call call_;
  std::vector<Share> shares_;  // of the other threads
  Turn opened_, stepped_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace polymargin
