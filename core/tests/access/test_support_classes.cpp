// The variables of support patterns by class and by pattern, against a map of all of them.
#include <map>
#include <set>
#include <utility>

#include "blocks.hpp"
#include "polymargin/access/support_classes.hpp"

namespace polymargin::test::test_support_classes {

struct Variable {
  double coefficient, gradient;
};
using Variables = std::map<std::pair<std::int32_t, std::int32_t>, Variable>;  // (place, label)

void check_columns(const SupportClasses& support, const Variables& model) {
  std::size_t count = 0;
  for (std::int32_t label = 0; label < support.classes(); ++label) {
    const SupportColumn& column = support.column(label);
    CHECK_EQUAL(column.coefficients.size(), column.places.size());
    CHECK_EQUAL(column.gradients.size(), column.places.size());
    count += column.places.size();
    for (std::int64_t p = 0; p < column.size(); ++p) {
      const auto found = model.find({column.places[p], label});
      CHECK(found != model.end());
      if (found == model.end()) continue;
      CHECK_EQUAL(column.coefficients[p], found->second.coefficient);
      CHECK_EQUAL(column.gradients[p], found->second.gradient);
    }
  }
  CHECK_EQUAL(count, model.size());
}

void check_entries(const SupportClasses& support, const Variables& model, int places) {
  for (std::int32_t place = 0; place < places; ++place) {
    std::int32_t before = -1;
    for (const auto entry : support.entries(place)) {
      CHECK(entry.label > before);
      before = entry.label;
      CHECK_EQUAL(support.column(entry.label).places[entry.at], place);
      CHECK_EQUAL(support.coefficient(entry), model.at({place, entry.label}).coefficient);
      CHECK_EQUAL(support.gradient(entry), model.at({place, entry.label}).gradient);
    }
    for (std::int32_t label = 0; label < support.classes(); ++label) {
      const auto* const found = support.find(place, label);
      CHECK_EQUAL(found != nullptr, model.contains({place, label}));
      if (found) CHECK_EQUAL(found->label, label);
    }
  }
}

void check_pairs(const SupportClasses& support, const Variables& model, int places) {
  for (std::int32_t first = 0; first < support.classes(); ++first)
    for (std::int32_t second = 0; second < support.classes(); ++second) {
      if (first == second) continue;
      std::vector<std::int32_t> expected;
      for (std::int32_t place = 0; place < places; ++place)
        if (model.contains({place, first}) && model.contains({place, second}))
          expected.push_back(place);
      const auto found = support.pairs().places(first, second);
      CHECK(std::vector<std::int32_t>(found.begin(), found.end()) == expected);
    }
}

// Scores and updates of a column are sums over the patterns of a class.
void check_sums(SupportClasses& support, Variables& model, Source& source, int places) {
  const std::int32_t label = source.integer(0, support.classes() - 1);
  std::vector<float> row(places);
  for (float& value : row) value = float(source.bell());
  Wide score = 0;
  const double length = source.bell();
  for (auto& [key, variable] : model) {
    if (key.second != label) continue;
    score += Wide(variable.coefficient) * row[key.first];
    variable.gradient -= length * double(row[key.first]);
  }
  CHECK_NEAR(support.column(label).score(row.data()), score, 1e-12L);
  support.column(label).update_gradients(row.data(), length);
  const SupportColumn& column = support.column(label);
  for (std::int64_t p = 0; p < column.size(); ++p) {
    double& expected = model.at({column.places[p], label}).gradient;
    CHECK_NEAR(column.gradients[p], expected, 1e-12L);
    expected = column.gradients[p];
  }
}

void check_random_use(unsigned seed) {
  Source source(seed);
  const int classes = source.integer(2, 7);
  int places = source.integer(1, 20);
  SupportClasses support(classes);
  support.grow(places);
  Variables model;
  for (int step = 0; step < 200; ++step) {
    const std::pair<std::int32_t, std::int32_t> key{source.integer(0, places - 1),
                                                    source.integer(0, classes - 1)};
    if (model.contains(key)) {
      support.remove(key.first, key.second);
      model.erase(key);
    } else {
      model[key] = {source.bell(), source.bell()};
      support.add(key.first, key.second, model[key].coefficient, model[key].gradient);
    }
    if (source.chance(0.05)) support.grow(places += source.integer(0, 5));
    if (source.chance(0.2)) check_sums(support, model, source, places);
    check_columns(support, model);
    check_entries(support, model, places);
    if (step % 10 == 0) check_pairs(support, model, places);
  }
}

// Labels of 300 classes do not get into each other's way.
void check_many_classes() {
  SupportPairs pairs;
  for (std::int32_t first = 0; first < 300; ++first)
    for (std::int32_t second = 0; second < first; ++second)
      pairs.add(300 * first + second, second, first);
  for (std::int32_t first = 0; first < 300; ++first)
    for (std::int32_t second = 0; second < first; ++second) {
      const auto found = pairs.places(first, second);
      CHECK_EQUAL(found.size(), std::size_t(1));
      CHECK_EQUAL(found[0], 300 * first + second);
    }
  pairs.remove(300 * 7 + 3, 7, 3);
  CHECK(pairs.places(3, 7).empty());
}

void run_tests() {
  for (unsigned seed = 0; seed < 100; ++seed) check_random_use(seed);
  check_many_classes();
}

}  // namespace polymargin::test::test_support_classes
