// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/LinearProgram.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace windlass::planning;

namespace {

/// Divides kinds between two homes. A kind takes bytes of a capacity in the first home and seconds of three
/// resources in the second. Pairs of kinds in different homes take seconds, too. The largest sum of seconds
/// must be smallest. Kinds differ by up to `spread` orders of magnitude.
LinearProgram randomProgram(std::mt19937 &random, size_t kinds, double spread) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  constexpr size_t kResources = 3;
  const size_t pairs = kinds / 2, rows = kResources + 1 + kinds + 2 * pairs,
               columns = 1 + 2 * kinds + 2 * pairs;
  LinearProgram program;
  program.cost.assign(columns, 0);
  program.cost[0] = 1;
  program.rows.assign(rows, std::vector<double>(columns, 0));
  program.right.assign(rows, 0);
  for (size_t r = 0; r < kResources; ++r) {
    program.rows[r][0] = -1;
    program.right[r] = -uniform(0, 1);
  }
  std::vector<double> rates(3 * kResources);
  for (double &rate : rates)
    rate = uniform(0.1, 1);
  const auto spend = [&](size_t column, double size, size_t cls) {
    for (size_t r = 0; r < kResources; ++r) {
      program.rows[r][column] = size * rates[cls * kResources + r];
      program.cost[column] += 1e-6 * program.rows[r][column];
    }
  };
  double bytes = 0;
  std::vector<double> sizes;
  for (size_t k = 0; k < kinds; ++k) {
    sizes.push_back(k % 2 ? 2 * sizes.back() : std::pow(10, -uniform(0, spread)));
    const size_t here = 1 + 2 * k, there = here + 1, row = kResources + 1 + k;
    program.rows[kResources][here] = sizes[k];
    bytes += sizes[k];
    spend(there, sizes[k], k % 2);
    program.rows[row][here] = program.rows[row][there] = -1;
    program.right[row] = -1;
  }
  program.right[kResources] = uniform(0.2, 0.9) * bytes;
  for (size_t p = 0; p < 2 * pairs; ++p) {
    const size_t row = kResources + 1 + kinds + p, column = 1 + 2 * kinds + p, worker = 1 + 4 * (p / 2),
                 operand = worker + 2;
    program.rows[row][column] = -1;
    program.rows[row][worker] = p % 2 ? 1 : -1;
    program.rows[row][operand] = p % 2 ? -1 : 1;
    spend(column, sizes[p / 2 * 2], 2);
  }
  return program;
}

double dot(const std::vector<double> &a, const std::vector<double> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The violation of the most violated row.
double broken(const LinearProgram &program, const std::vector<double> &x) {
  double worst = 0;
  for (size_t i = 0; i < program.rows.size(); ++i)
    worst = std::max(worst, dot(program.rows[i], x) - program.right[i]);
  for (double value : x)
    worst = std::max(worst, -value);
  return worst;
}

} // namespace

/// By strong duality the value of the solution is that of its prices. Equal values show that both are right
/// to many digits, also with entries of very different sizes.
TEST(LinearProgram, pricesHaveTheValueOfTheSolution) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    const LinearProgram program = randomProgram(random, 4 + seed % 60, seed % 2 ? 5 : 0);
    const LinearSolution solution = solveLinear(program);
    ASSERT_TRUE(solution.feasible) << "seed " << seed;
    const double value = dot(program.cost, solution.x);
    EXPECT_LT(broken(program, solution.x), 1e-6) << "seed " << seed;
    EXPECT_NEAR(-dot(program.right, solution.price), value, 1e-6 * value) << "seed " << seed;
    for (double price : solution.price)
      EXPECT_GT(price, -1e-6) << "seed " << seed;
  }
}

TEST(LinearProgram, whatNoSolutionMeetsIsSaid) {
  EXPECT_FALSE(solveLinear({{1}, {{1}, {-1}}, {1, -2}}).feasible) << "x <= 1 and x >= 2";
  EXPECT_TRUE(solveLinear({{1}, {{1}, {-1}}, {2, -1}}).feasible);
}
