// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether numbers follow a formula along a dimension, or may be learned.
#include "compiler/import/onnx/repair/Formula.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace windlass::onnx;

namespace {

/// An f32 tensor whose elements are a function of their index.
template <typename Value> Literal made(const Shape &shape, Value value) {
  Literal literal = Literal::filled(DataType::Float, shape, 0);
  int64_t at = 0;
  forEachIndex(shape, [&](const Shape &index) { literal.set(at++, value(index)); });
  return literal;
}

Literal drawn(const Shape &shape) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  return made(shape, [&](const Shape &) { return normal(random); });
}

double sine(const Shape &at) { return std::sin(static_cast<double>(at[0]) / std::pow(100.0, at[1] / 8.0)); }

TEST(Formula, tablesOfPositionsAndAnglesAreComputed) {
  EXPECT_EQ(originOf(made({64, 8}, sine)), Origin::Formula);
  EXPECT_EQ(originOf(made({1, 16, 1}, [](const Shape &at) { return at[1]; })), Origin::Formula);
  EXPECT_EQ(originOf(made({8}, [](const Shape &at) { return std::pow(2.0, -at[0]); })), Origin::Formula)
      << "slopes";
  EXPECT_EQ(originOf(made({9}, [](const Shape &at) { return 0.5 - 0.5 * std::cos(0.7 * at[0]); })),
            Origin::Formula)
      << "a window";
}

/// Biases by distance turn where a query meets its own key. A table that turns more often is not such a bias.
TEST(Formula, distancesAreComputed) {
  auto distance = [](const Shape &at) { return -0.25 * static_cast<double>(std::abs(at[1] - at[2])); };
  EXPECT_EQ(originOf(made({2, 8, 8}, distance)), Origin::Formula);
  const Literal learned = drawn({15});
  EXPECT_EQ(originOf(made({8, 8}, [&](const Shape &at) { return learned.real(at[0] - at[1] + 7); })),
            Origin::Learned);
}

TEST(Formula, masksAreComputedAndHideNothingElse) {
  auto causal = [](double hidden) { return [=](const Shape &at) { return at[0] < at[1] ? hidden : 0.0; }; };
  EXPECT_EQ(originOf(made({6, 6}, causal(-INFINITY))), Origin::Formula);
  EXPECT_EQ(originOf(made({6, 6}, causal(1))), Origin::Formula);
  auto slopes = [](const Shape &at) {
    return at[0] < at[1] ? -INFINITY : -0.25 * static_cast<double>(at[0] - at[1]);
  };
  EXPECT_EQ(originOf(made({8, 8}, slopes)), Origin::Formula);
  const Literal bias = drawn({8, 8});
  auto masked = [&](const Shape &at) { return at[0] < at[1] ? -1e9 : bias.real(at[0] * 8 + at[1]); };
  EXPECT_EQ(originOf(made({8, 8}, masked)), Origin::Learned);
}

TEST(Formula, parametersFollowNone) {
  EXPECT_EQ(originOf(drawn({16, 8})), Origin::Learned);
  EXPECT_EQ(originOf(drawn({8})), Origin::Learned);
  EXPECT_EQ(originOf(drawn({1, 4, 8})), Origin::Learned);
  const Literal table = drawn({16, 8});
  auto nearly = [&](const Shape &at) { return sine(at) + 0.1 * table.real(at[0] * 8 + at[1]); };
  EXPECT_EQ(originOf(made({16, 8}, nearly)), Origin::Learned) << "as tables of positions are after training";
}

/// Copies of a parameter over the examples of a batch are constant along this dimension, which is no formula.
TEST(Formula, copiesSayNothing) {
  const Literal row = drawn({8});
  EXPECT_EQ(originOf(made({16, 8}, [&](const Shape &at) { return row.real(at[1]); })), Origin::Learned);
}

TEST(Formula, fewNumbersSayNothing) {
  EXPECT_EQ(originOf(drawn({3})), Origin::Unknown);
  EXPECT_EQ(originOf(drawn({3, 3})), Origin::Unknown);
  EXPECT_EQ(originOf(made({8, 8}, [](const Shape &) { return 0.0; })), Origin::Unknown) << "fresh, or a mask";
}

} // namespace
