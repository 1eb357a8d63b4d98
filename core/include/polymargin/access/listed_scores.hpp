// The scores of a short list of classes for each row, under sparse weights: predictions among
// candidates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "polymargin/access/rows.hpp"
#include "polymargin/base/parallel.hpp"

namespace polymargin {

// Features ascend: those of class m are features[p], with the weights values[p], for p from
// starts[m] to starts[m + 1]. The constant feature is apart.
template <class Real>
struct WeightsByClass {
  std::span<const std::int64_t> starts;
  std::span<const std::int32_t> features;
  std::span<const Real> values, intercepts;
};

// `count` classes of each row, and their scores.
template <class Real>
void listed_scores(const Rows<Real>& rows, const WeightsByClass<Real>& weights,
                   const std::int32_t* classes, int count, Real* scores, int threads) {
  std::vector<std::vector<FeatureValue<Real>>> values(std::max(threads, 1));
  for_each_chunk(threads, rows.size(), 256,
                 [&](int thread, std::int64_t, std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) {
                     rows.values_of(i, values[thread]);
                     for (std::int64_t at = i * count; at < (i + 1) * count; ++at) {
                       const std::int32_t m = classes[at];
                       const std::int32_t* feature = weights.features.data() + weights.starts[m];
                       const std::int32_t* const last =
                           weights.features.data() + weights.starts[m + 1];
                       Real sum = weights.intercepts[m];
                       for (const auto& [wanted, value] : values[thread]) {
                         feature = std::lower_bound(feature, last, std::int32_t(wanted));
                         if (feature == last) break;
                         if (*feature == wanted)
                           sum += value * weights.values[feature - weights.features.data()];
                       }
                       scores[at] = sum;
                     }
                   }
                 });
}

}  // namespace polymargin
