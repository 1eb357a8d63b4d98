// The restricted problem of one example by brute force: every variable at zero, free or at its
// bound, the sum of all free or at C_i. From the definition of the dual objective alone.
#pragma once

#include "definitions.hpp"

namespace polymargin::test {

// Solves a small linear system by elimination; false if it is singular.
inline bool solve_linear(std::vector<Vector> a, Vector right, Vector& x) {
  const int n = int(right.size());
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    Wide size = 0;
    for (int r = c; r < n; ++r)
      if (std::fabs(a[r][c]) > std::fabs(a[pivot][c])) pivot = r;
    for (int j = 0; j < n; ++j) size = std::max(size, std::fabs(a[pivot][j]));
    if (!(std::fabs(a[pivot][c]) > 1e-15L * size)) return false;
    std::swap(a[c], a[pivot]);
    std::swap(right[c], right[pivot]);
    for (int r = c + 1; r < n; ++r) {
      const Wide factor = a[r][c] / a[c][c];
      for (int j = c; j < n; ++j) a[r][j] -= factor * a[c][j];
      right[r] -= factor * right[c];
    }
  }
  x.assign(n, 0);
  for (int c = n - 1; c >= 0; --c) {
    Wide sum = right[c];
    for (int j = c + 1; j < n; ++j) sum -= a[c][j] * x[j];
    x[c] = sum / a[c][c];
  }
  return true;
}

// What one example adds to the dual objective as its block changes from `start` to u.
struct BlockObjective {
  const Definition& definition;
  int label;
  Wide curvature, loss_weight;
  Vector scores, start;

  Wide operator()(const Vector& u) const {
    Vector change(u.size());
    for (std::size_t m = 0; m < u.size(); ++m) change[m] = u[m] - start[m];
    const Vector b = definition.coefficients(change, label);
    Wide value = definition.term(u, label, loss_weight);
    for (std::size_t m = 0; m < u.size(); ++m) value -= b[m] * (scores[m] + curvature / 2 * b[m]);
    return value;
  }
};

// The best point of all faces, on each of which the objective is stationary.
inline Vector best_block(const BlockObjective& f) {
  const int classes = int(f.start.size());
  std::vector<int> variables;
  for (int m = 0; m < classes; ++m)
    if (f.definition.has_variable(m, f.label)) variables.push_back(m);
  const int n = int(variables.size());
  const bool bounded = !f.definition.squared(), sum_bounded = f.definition.one_slack() && bounded;
  std::vector<Vector> rows;  // of E: the coefficients of a unit of each variable
  for (int m : variables) {
    Vector unit(classes);
    unit[m] = 1;
    rows.push_back(f.definition.coefficients(unit, f.label));
  }
  const Vector from = f.definition.coefficients(f.start, f.label);
  std::vector<Vector> hessian(n, Vector(n));
  Vector gradient(n);  // at u = 0
  for (int i = 0; i < n; ++i) {
    gradient[i] = f.definition.target(variables[i], f.label, classes);
    for (int m = 0; m < classes; ++m)
      gradient[i] -= rows[i][m] * (f.scores[m] - f.curvature * from[m]);
    for (int j = 0; j < n; ++j) {
      for (int m = 0; m < classes; ++m) hessian[i][j] -= f.curvature * rows[i][m] * rows[j][m];
      if (f.definition.squared() && (i == j || f.definition.one_slack()))
        hessian[i][j] -= 1 / (2 * f.loss_weight);
    }
  }

  const int states = bounded && !sum_bounded ? 3 : 2;  // zero, free, at C_i
  int patterns = 1;
  for (int i = 0; i < n; ++i) patterns *= states;
  Vector best(classes);
  Wide most = f(best);
  for (int pattern = 0; pattern < patterns; ++pattern)
    for (int full = 0; full <= int(sum_bounded); ++full) {
      Vector u(n);
      std::vector<int> free;
      for (int i = 0, rest = pattern; i < n; ++i, rest /= states) {
        if (rest % states == 1) free.push_back(i);
        if (rest % states == 2) u[i] = f.loss_weight;
      }
      const int size = int(free.size());
      if (full && size == 0) continue;
      std::vector<Vector> system(size + full, Vector(size + full));
      Vector right(size + full), solved;
      for (int a = 0; a < size; ++a) {
        right[a] = gradient[free[a]];
        for (int i = 0; i < n; ++i) right[a] += hessian[free[a]][i] * u[i];
        for (int b = 0; b < size; ++b) system[a][b] = -hessian[free[a]][free[b]];
        if (full) system[a][size] = system[size][a] = 1;
      }
      if (full) right[size] = f.loss_weight;
      if (!solve_linear(system, right, solved)) continue;
      bool inside = true;
      Wide sum = 0;
      for (int a = 0; a < size; ++a) {
        u[free[a]] = solved[a];
        sum += solved[a];
        inside &= solved[a] >= 0 && (!bounded || sum_bounded || solved[a] <= f.loss_weight);
      }
      if (!inside || (sum_bounded && sum > f.loss_weight * (1 + 1e-12L))) continue;
      Vector spread(classes);
      for (int i = 0; i < n; ++i) spread[variables[i]] = u[i];
      const Wide value = f(spread);
      if (value > most) {
        most = value;
        best = spread;
      }
    }
  return best;
}

}  // namespace polymargin::test
