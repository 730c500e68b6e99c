// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/LinearProgram.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace windlass::planning {
namespace {

/// Coefficients of no larger size are zero, up to rounding.
constexpr double kZero = 1e-11;

/// basic + table * others = right; the value is a constant plus cost * others. Variables are numbered columns
/// first, then the slack of each row.
class Tableau {
public:
  explicit Tableau(LinearProgram program)
      : table(std::move(program.rows)), right(std::move(program.right)), cost(std::move(program.cost)),
        basic(right.size()), others(cost.size()) {
    std::iota(others.begin(), others.end(), size_t(0));
    std::iota(basic.begin(), basic.end(), others.size());
  }

  LinearSolution solve() {
    LinearSolution solution;
    size_t limit = 50 * (basic.size() + others.size());
    for (size_t pivots = 0; pivots < limit; ++pivots) {
      size_t row = mostNegative();
      if (row == basic.size())
        break;
      size_t column = cheapestColumn(row);
      if (column == others.size()) {
        solution.feasible = false;
        break;
      }
      pivot(row, column);
    }
    solution.x.assign(others.size(), 0);
    solution.price.assign(basic.size(), 0);
    for (size_t i = 0; i < basic.size(); ++i)
      if (basic[i] < others.size())
        solution.x[basic[i]] = right[i];
    for (size_t j = 0; j < others.size(); ++j)
      if (others[j] >= others.size())
        solution.price[others[j] - others.size()] = cost[j];
    return solution;
  }

private:
  size_t mostNegative() const {
    size_t row = basic.size();
    double least = -kZero;
    for (size_t i = 0; i < basic.size(); ++i)
      if (right[i] < least) {
        least = right[i];
        row = i;
      }
    return row;
  }

  /// The column whose entry into the basis keeps all costs at zero or more, up to rounding. Of several the
  /// one with the largest pivot, by which rounding errors grow least (Harris, "Pivot selection methods of the
  /// Devex LP code", 1973).
  size_t cheapestColumn(size_t row) const {
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (size_t j = 0; j < others.size(); ++j)
      if (const double entry = -table[row][j]; entry > kZero)
        least = std::min(least, (std::max(0.0, cost[j]) + kZero) / entry);
    size_t column = others.size();
    for (size_t j = 0; j < others.size(); ++j)
      if (const double entry = -table[row][j]; entry > std::max(kZero, largest) && cost[j] <= least * entry) {
        largest = entry;
        column = j;
      }
    return column;
  }

  void pivot(size_t row, size_t column) {
    double inverse = 1 / table[row][column];
    for (double &entry : table[row])
      entry *= inverse;
    table[row][column] = inverse;
    right[row] *= inverse;
    for (size_t i = 0; i < basic.size(); ++i)
      if (double factor = table[i][column]; i != row && factor != 0) {
        subtract(table[i], factor, row, column, inverse);
        right[i] -= factor * right[row];
      }
    subtract(cost, cost[column], row, column, inverse);
    std::swap(basic[row], others[column]);
  }

  void subtract(std::vector<double> &from, double factor, size_t row, size_t column, double inverse) {
    for (size_t j = 0; j < others.size(); ++j)
      from[j] -= factor * table[row][j];
    from[column] = -factor * inverse;
  }

  std::vector<std::vector<double>> table;
  std::vector<double> right, cost;
  std::vector<size_t> basic, others;
};

} // namespace

LinearSolution solveLinear(LinearProgram program) { return Tableau(std::move(program)).solve(); }

} // namespace windlass::planning
