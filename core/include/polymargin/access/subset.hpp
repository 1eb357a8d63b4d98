// Some of the rows of another set of rows, in a given order.
#pragma once

#include <memory>
#include <vector>

#include "polymargin/access/storage.hpp"

namespace polymargin {

template <class Real>
class RowsSubset final : public Rows<Real> {
 public:
  using Norms = std::shared_ptr<const std::vector<Real>>;

  // `squared_norms` of all rows, if they are known.
  RowsSubset(std::shared_ptr<const Rows<Real>> rows, std::vector<std::int32_t> chosen,
             Norms squared_norms = nullptr)
      : rows_(std::move(rows)),
        chosen_(std::move(chosen)),
        squared_norms_(std::move(squared_norms)) {}

  const Rows<Real>& source() const { return *rows_; }
  const std::vector<std::int32_t>& chosen() const { return chosen_; }

  std::int64_t size() const override { return std::int64_t(chosen_.size()); }
  std::int64_t features() const override { return rows_->features(); }
  std::int64_t row_length(std::int64_t i) const override { return rows_->row_length(chosen_[i]); }
  Real squared_norm(std::int64_t i) const override {
    return squared_norms_ ? (*squared_norms_)[chosen_[i]] : rows_->squared_norm(chosen_[i]);
  }
  void prefetch(std::int64_t i) const override { rows_->prefetch(chosen_[i]); }
  void prefetch_place(std::int64_t i) const override { rows_->prefetch_place(chosen_[i]); }

  void scores(std::int64_t i, const Weights<Real>& w, Real* scores, int first,
              int last) const override {
    rows_->scores(chosen_[i], w, scores, first, last);
  }
  void add(std::int64_t i, Weights<Real>& w, const Real* coefficients, int first,
           int last) const override {
    rows_->add(chosen_[i], w, coefficients, first, last);
  }
  void scores_of(std::int64_t i, const Weights<Real>& w, const std::int32_t* classes, int count,
                 Real* scores) const override {
    rows_->scores_of(chosen_[i], w, classes, count, scores);
  }
  void add_to(std::int64_t i, Weights<Real>& w, const std::int32_t* classes, int count,
              const Real* coefficients) const override {
    rows_->add_to(chosen_[i], w, classes, count, coefficients);
  }

  void scores(std::int64_t i, const PackedWeights<Real>& w, Real* scores, int first,
              int last) const override {
    rows_->scores(chosen_[i], w, scores, first, last);
  }
  void add(std::int64_t i, PackedWeights<Real>& w, const Real* coefficients, int first,
           int last) const override {
    rows_->add(chosen_[i], w, coefficients, first, last);
  }
  void scores_of(std::int64_t i, const PackedWeights<Real>& w, const std::int32_t* classes,
                 int count, Real* scores) const override {
    rows_->scores_of(chosen_[i], w, classes, count, scores);
  }
  void add_to(std::int64_t i, PackedWeights<Real>& w, const std::int32_t* classes, int count,
              const Real* coefficients) const override {
    rows_->add_to(chosen_[i], w, classes, count, coefficients);
  }

  // Tiles are those of the rows of the source.
  void scores(std::int64_t i, const TiledWeights<Real>& w, Real* scores, int first,
              int last) const override {
    rows_->scores(chosen_[i], w, scores, first, last);
  }
  void add(std::int64_t i, TiledWeights<Real>& w, const Real* coefficients, int first,
           int last) const override {
    rows_->add(chosen_[i], w, coefficients, first, last);
  }
  void scores_of(std::int64_t i, const TiledWeights<Real>& w, const std::int32_t* classes,
                 int count, Real* scores) const override {
    rows_->scores_of(chosen_[i], w, classes, count, scores);
  }
  void add_to(std::int64_t i, TiledWeights<Real>& w, const std::int32_t* classes, int count,
              const Real* coefficients) const override {
    rows_->add_to(chosen_[i], w, classes, count, coefficients);
  }
  void values_of(std::int64_t i, std::vector<FeatureValue<Real>>& values) const override {
    rows_->values_of(chosen_[i], values);
  }
  std::vector<std::int64_t> features_of(std::int64_t i) const override {
    return rows_->features_of(chosen_[i]);
  }

 private:
  std::shared_ptr<const Rows<Real>> rows_;
  std::vector<std::int32_t> chosen_;
  Norms squared_norms_;
};

// Rows that are read without a virtual call, from one of the storages that are worth a loop of
// their own: compressed rows with 32-bit indices, and values side by side.
template <class Real, class Storage>
struct StoredRows {
  Storage storage;
  Real bias;
  const std::int32_t* chosen;  // numbers of the rows in the storage; null if it has no others

  std::int64_t place(std::int64_t i) const { return chosen != nullptr ? chosen[i] : i; }
  auto row(std::int64_t i) const { return storage.row(place(i)); }
  void prefetch_place(std::int64_t i) const {
    if (chosen != nullptr)
      __builtin_prefetch(chosen + i);
    else
      storage.prefetch_place(i);
  }
  void prefetch(std::int64_t i) const { storage.prefetch(place(i)); }
};

// Calls f(StoredRows) if the rows are in such a storage.
template <class Real, class F>
void with_stored_rows(const Rows<Real>& rows, F&& f) {
  const auto* subset = dynamic_cast<const RowsSubset<Real>*>(&rows);
  const Rows<Real>& source = subset != nullptr ? subset->source() : rows;
  const std::int32_t* chosen = subset != nullptr ? subset->chosen().data() : nullptr;
  const auto try_storage = [&]<class Storage>(const Storage*) {
    const auto* stored = dynamic_cast<const RowsOf<Real, Storage>*>(&source);
    if (stored) f(StoredRows<Real, Storage>{stored->storage(), stored->bias(), chosen});
  };
  try_storage(static_cast<const CsrStorage<Real, std::int32_t>*>(nullptr));
  try_storage(static_cast<const DenseStorage<Real, true>*>(nullptr));
}

}  // namespace polymargin
