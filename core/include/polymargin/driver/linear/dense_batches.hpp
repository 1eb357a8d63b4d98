// Visits of dense rows in batches, which threads share: the scores X_B W of the next rows of the
// schedule and the products X_B X_B^T of the rows with each other are computed for all of them;
// then come the steps, in order, each with scores that are corrected by sum_l G_il db_l for the
// steps l before it; and then W += X_B^T dB. This is the sequential method, but for rounding. What
// is summed up in which order does not depend on the number of threads: ranges of features add
// their parts of the scores one after the other. One thread gains as well: what it reads of W
// serves eight rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polymargin/access/batch_products.hpp"
#include "polymargin/access/storage.hpp"
#include "polymargin/base/shares.hpp"
#include "polymargin/base/team.hpp"

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

  void set_threads(int threads) { team_ = threads > 1 ? std::make_unique<Team>(threads) : nullptr; }

  // How many visits are to be made at once: about a million products of a number and a vector. In
  // the beginning and the end threads wait for each other.
  std::int64_t visits_at_once() const {
    const std::int64_t products = std::max<std::int64_t>(storage_.columns * layout_.packs, 1);
    return std::clamp<std::int64_t>((1 << 20) / products, 4 * kRows, 64 * kRows);
  }

  // Visits these rows in order: step(i, scores, change) is to write the change of the block of row
  // i, as it goes into the weights, or to return false if there is none. All threads go through the
  // same rounds: in each, the first takes the steps of one batch while the others compute the
  // products of the next one's rows, and then each carries on with its own ranges of features.
  template <class StepOf>
  void visit(Numbers rows, Weights<Real>& weights, StepOf&& step) {
    const int threads = team_ ? team_->size() : 1, others = std::max(threads - 1, 1);
    const std::int64_t batches = std::int64_t(rows.size() + kRows - 1) / kRows;
    std::vector<Share> products(others), passes(threads);
    Turn stepped;
    const auto multiply = [&](std::int64_t round, int share) {
      return [=, this] { gram(rows, round, share, others); };
    };
    const auto pass = [&](std::int64_t round, int share) {
      return [=, this, &weights] { pass_parts(rows, round, share, threads, weights); };
    };
    const auto first = [&] {
      for (std::int64_t round = 0; round <= batches; ++round) {
        if (round > 0) steps(rows, round - 1, step);
        stepped.reach(round);
        for (int share = 0; share < threads; ++share)
          passes[share].do_or_wait(round, pass(round, share));
        for (int share = 0; share < others; ++share)
          products[share].do_or_wait(round, multiply(round, share));
      }
    };
    if (!team_) return first();
    team_->run([&](int thread) {
      if (thread == 0) return first();
      for (std::int64_t round = 0; round <= batches; ++round) {
        products[thread - 1].do_if_free(round, multiply(round, thread - 1));
        stepped.wait_for(round);
        passes[thread].do_if_free(round, pass(round, thread));
      }
    });
  }

 private:
  // Rows of a batch: every step is corrected for half as many, each of them as dear as 1/lanes of
  // the scores of a pack of classes.
  static constexpr int kRows = 16;
  static constexpr std::int64_t kLeastFeatures = 128;
  // Ranges of features: each has sums of its own, which cost nothing beside so many products.
  static constexpr std::int64_t kLeastWidth = 96, kMostParts = 32;

  // What the steps of a batch leave behind.
  struct Moves {
    int count = 0;
    int who[kRows];
    AlignedArray<Real> changes;
  };

  // Empty before the first and after the last.
  static Numbers batch_of(Numbers rows, std::int64_t number) {
    if (number < 0) return {};
    const std::size_t begin = std::min(rows.size(), std::size_t(number) * kRows);
    return rows.subspan(begin, std::min<std::size_t>(kRows, rows.size() - begin));
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
  void gram(Numbers rows, std::int64_t number, int share, int shares) {
    const Numbers batch = batch_of(rows, number);
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
  void pass_parts(Numbers rows, std::int64_t round, int share, int shares, Weights<Real>& weights) {
    const Numbers batch = batch_of(rows, round);
    const Places last = places_of(batch_of(rows, round - 1)), next = places_of(batch);
    const Real *x[kRows], *change[kRows];
    const int moved = round > 0 ? moves_.count : 0;
    for (int move = 0; move < moved; ++move) {
      x[move] = last.x[moves_.who[move]];
      change[move] = moves_.changes.data() + move * layout_.stride;
    }
    const std::size_t parts = parts_.size();
    for (std::size_t part = parts * share / shares; part < parts * (share + 1) / shares; ++part) {
      batch_add(x, change, moved, parts_[part], weights, bias_);
      batch_scores(next.x, int(batch.size()), parts_[part], weights, bias_, part_of_scores(part));
    }
  }

  Real* part_of_scores(std::int64_t part) { return scores_.data() + part * kRows * layout_.stride; }

  template <class StepOf>
  void steps(Numbers rows, std::int64_t number, StepOf&& step) {
    const Numbers batch = batch_of(rows, number), later = batch_of(rows, number + 2);
    moves_.count = 0;
    for (int r = 0; r < int(batch.size()); ++r) {
      if (std::size_t(r) < later.size()) prefetch(later[r]);
      Real* const scores = part_of_scores(0) + r * layout_.stride;
      correct(gram_[number % 2].data() + r * kRows, r, scores);
      if (step(batch[r], scores, moves_.changes.data() + moves_.count * layout_.stride))
        moves_.who[moves_.count++] = r;
    }
  }

  void prefetch(std::int32_t i) const {
    const char* const row = reinterpret_cast<const char*>(storage_.row(i).values);
    const std::int64_t size = storage_.columns * std::int64_t(sizeof(Real));
    for (std::int64_t at = 0; at < size; at += 64) __builtin_prefetch(row + at);
  }

  void correct(const Real* gram, int r, Real* scores) {
    const Real constant = bias_ * bias_;
    with_pack_bytes(layout_.bytes, [&](auto bytes) {
      using V = Pack<Real, bytes()>;
      for (int m = 0; m < layout_.stride; m += bytes() / int(sizeof(Real))) {
        V sum = load<V>(scores + m);
        for (std::size_t part = 1; part < parts_.size(); ++part)
          sum += load<V>(part_of_scores(part) + r * layout_.stride + m);
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
  std::unique_ptr<Team> team_;
};

}  // namespace polymargin
