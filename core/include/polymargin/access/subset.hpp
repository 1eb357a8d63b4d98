// Some of the rows of another set of rows, in a given order.
#pragma once

#include <memory>
#include <vector>

#include "polymargin/access/rows.hpp"

namespace polymargin {

template <class Real>
class RowsSubset final : public Rows<Real> {
 public:
  RowsSubset(std::shared_ptr<const Rows<Real>> rows, std::vector<std::int32_t> chosen)
      : rows_(std::move(rows)), chosen_(std::move(chosen)) {}

  std::int64_t size() const override { return std::int64_t(chosen_.size()); }
  std::int64_t features() const override { return rows_->features(); }
  std::int64_t row_length(std::int64_t i) const override { return rows_->row_length(chosen_[i]); }
  Real squared_norm(std::int64_t i) const override { return rows_->squared_norm(chosen_[i]); }
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
  std::vector<std::int64_t> features_of(std::int64_t i) const override {
    return rows_->features_of(chosen_[i]);
  }

 private:
  std::shared_ptr<const Rows<Real>> rows_;
  std::vector<std::int32_t> chosen_;
};

}  // namespace polymargin
