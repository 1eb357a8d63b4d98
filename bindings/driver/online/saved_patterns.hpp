// What comes back from a pickle is checked like any other input: each pattern once, support classes
// of these patterns only, and numbers that a step can begin from.
#pragma once

#include <cmath>
#include <stdexcept>
#include <vector>

#include "driver/interruptible.hpp"

namespace polymargin::bindings {

// Arrays as patterns() and columns() return them.
struct SavedPatterns {
  Input<std::int32_t> places, labels;
  Input<double> loss_weights, curvatures;
  Input<std::int64_t> starts;
  Input<std::int32_t> column_places;
  Input<double> coefficients, gradients;

  void check(std::int64_t all_places, std::int32_t classes) const {
    const std::size_t count = places.shape(0), entries = column_places.shape(0);
    need(labels.shape(0) == count && loss_weights.shape(0) == count && curvatures.shape(0) == count,
         "labels, loss_weights and curvatures must have one entry per place");
    need(coefficients.shape(0) == entries && gradients.shape(0) == entries,
         "coefficients and gradients must have one entry per support class");
    need(starts.shape(0) == std::size_t(classes) + 1 && starts.data()[0] == 0 &&
             starts.data()[classes] == std::int64_t(entries),
         "starts must have one entry per class and one more, from 0 to the last");
    std::vector<std::int32_t> label_of(all_places, -1);
    for (std::size_t b = 0; b < count; ++b) {
      const std::int32_t place = places.data()[b], label = labels.data()[b];
      need(place >= 0 && place < all_places, "a place is out of range");
      need(label >= 0 && label < classes, "a label is out of range");
      need(label_of[place] < 0, "a place comes twice");
      need(positive(loss_weights.data()[b]), "a loss weight is not positive and finite");
      need(curvatures.data()[b] == 0 || positive(curvatures.data()[b]),
           "a curvature is negative or not finite");
      label_of[place] = label;
    }
    check_columns(label_of, classes);
  }

 private:
  static void need(bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
  }
  static bool positive(double value) { return value > 0 && std::isfinite(value); }

  // Every pattern has its own label among its support classes: steps rely on it.
  void check_columns(const std::vector<std::int32_t>& label_of, std::int32_t classes) const {
    std::vector<std::int32_t> last_class(label_of.size(), -1);
    std::size_t own = 0;
    for (std::int32_t label = 0; label < classes; ++label) {
      const std::int64_t begin = starts.data()[label], end = starts.data()[label + 1];
      need(begin <= end && end <= std::int64_t(column_places.shape(0)), "starts do not ascend");
      for (std::int64_t p = begin; p < end; ++p) {
        const std::int32_t place = column_places.data()[p];
        need(place >= 0 && place < std::int32_t(label_of.size()) && label_of[place] >= 0,
             "a support class is not of a pattern");
        need(last_class[place] != label, "a support class comes twice");
        need(std::isfinite(coefficients.data()[p]) && std::isfinite(gradients.data()[p]),
             "a coefficient or a gradient is not finite");
        last_class[place] = label;
        own += label == label_of[place];
      }
    }
    need(own == places.shape(0), "a pattern has no coefficient of its own label");
  }
};

}  // namespace polymargin::bindings
