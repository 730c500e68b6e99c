// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of every exchange, by dot products of the results of the exchange and of its adjoint.

#include "test/compiler/interpreter/TestModule.h"

using namespace mlir;

namespace windlass::interpreter {
namespace {

/// Whether all ranks along the axis have the same value or gradient, or each its own.
enum class Along { Same, Own };

struct Exchange {
  std::string name, op, from, to;
  Along input, result, gradient, inputGradient;
};

void PrintTo(const Exchange &exchange, std::ostream *out) { *out << exchange.name; }

constexpr int kGroup = 3;

const Exchange kExchanges[] = {
    {"Vary", "vary %x over \"tp\"(3) : tensor<6x2xf64>", "6x2", "6x2", Along::Same, Along::Same, Along::Own,
     Along::Same},
    {"AllReduce", "all_reduce %x over \"tp\"(3) : tensor<6x2xf64>", "6x2", "6x2", Along::Own, Along::Same,
     Along::Same, Along::Same},
    {"AllGatherForAll", "all_gather %x over \"tp\"(3) : tensor<6x2xf64> -> tensor<18x2xf64>", "6x2", "18x2",
     Along::Own, Along::Same, Along::Same, Along::Own},
    {"AllGatherForParts", "all_gather %x over \"tp\"(3) varied : tensor<6x2xf64> -> tensor<18x2xf64>", "6x2",
     "18x2", Along::Own, Along::Same, Along::Own, Along::Own},
    {"ReduceScatter", "reduce_scatter %x over \"tp\"(3) : tensor<6x2xf64> -> tensor<2x2xf64>", "6x2", "2x2",
     Along::Own, Along::Own, Along::Own, Along::Same},
    {"OwnPart", "own_part %x over \"tp\"(3) : tensor<6x2xf64> -> tensor<2x2xf64>", "6x2", "2x2", Along::Same,
     Along::Own, Along::Own, Along::Same},
};

/// Draws one tensor per rank: the same for all ranks of a group, or one for each.
std::vector<Tensors> draw(RankedTensorType type, Along along, std::mt19937 &random) {
  std::vector<Tensors> ranks;
  for (int rank = 0; rank < 2 * kGroup; ++rank)
    ranks.push_back(
        {along == Along::Same && rank % kGroup > 0 ? ranks.back()[0] : randomTensor(type, random)});
  return ranks;
}

/// The dot product of a value and its gradient over ranks. A value that all ranks of a group have alike, as
/// well as its gradient, counts once per group.
double dotOverRanks(const std::vector<Tensors> &a, const std::vector<Tensors> &b, bool isOneValue) {
  double sum = 0;
  for (size_t rank = 0; rank < a.size(); rank += isOneValue ? kGroup : 1)
    sum += dot(a[rank][0], b[rank][0]);
  return sum;
}

class ExchangeAdjoint : public testing::TestWithParam<Exchange> {};

/// <exchange(x), g> = <x, adjoint(g)>, in two groups of three ranks.
TEST_P(ExchangeAdjoint, HasEqualDotProducts) {
  const Exchange &exchange = GetParam();
  TestModule test("func.func @f(%x: tensor<" + exchange.from + "xf64>) -> tensor<" + exchange.to +
                  "xf64> {\n  %y = graph." + exchange.op + "\n  return %y : tensor<" + exchange.to +
                  "xf64>\n}");
  ASSERT_TRUE(test.module && test.verifies());
  func::FuncOp f = test.function("f");
  OpBuilder builder(&test.context);
  builder.setInsertionPointToEnd(test.module->getBody());
  auto df = func::FuncOp::create(builder, f.getLoc(), "df",
                                 builder.getFunctionType(f.getResultTypes(), f.getArgumentTypes()));
  builder.setInsertionPointToStart(df.addEntryBlock());
  SmallVector<Value> gradients;
  auto op = cast<graph::DifferentiableOpInterface>(f.front().front());
  ASSERT_TRUE(succeeded(op.buildAdjoint(builder, df.getArgument(0), {true}, gradients)));
  func::ReturnOp::create(builder, f.getLoc(), gradients);
  ASSERT_TRUE(test.verifies());

  std::mt19937 random(5);
  Interpreter interpreter(*test.module, {.ranks = 2 * kGroup});
  auto x = draw(cast<RankedTensorType>(f.getArgumentTypes()[0]), exchange.input, random);
  auto g = draw(cast<RankedTensorType>(f.getResultTypes()[0]), exchange.gradient, random);
  auto y = interpreter.callOnRanks("f", x), dx = interpreter.callOnRanks("df", g);
  ASSERT_TRUE(y.isOk()) << y.status().message();
  ASSERT_TRUE(dx.isOk()) << dx.status().message();
  const bool isResultOne = exchange.result == Along::Same && exchange.gradient == Along::Same;
  const bool isInputOne = exchange.input == Along::Same && exchange.inputGradient == Along::Same;
  const double found = dotOverRanks(x, *dx, isInputOne);
  EXPECT_NEAR(found, dotOverRanks(*y, g, isResultOne), 1e-12);
  EXPECT_GT(std::fabs(found), 1e-3);
  for (int rank = 1; rank < kGroup; ++rank) {
    EXPECT_EQ((*y)[rank] == (*y)[0], exchange.result == Along::Same);
    EXPECT_EQ((*dx)[rank] == (*dx)[0], exchange.inputGradient == Along::Same);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ExchangeAdjoint, testing::ValuesIn(kExchanges),
                         [](const auto &tested) { return tested.param.name; });

TEST(ExchangeRanks, MustDivideThoseOfTheInterpreter) {
  TestModule test(
      "func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {\n"
      "  %y = graph.all_reduce %x over \"tp\"(2) : tensor<2xf64>\n  return %y : tensor<2xf64>\n}");
  Interpreter interpreter(*test.module, {.ranks = 3});
  auto result = interpreter.call("f", {Tensor({2}, {1, 2})});
  ASSERT_FALSE(result.isOk());
  EXPECT_NE(result.status().message().find("between 2 ranks does not divide 3 virtual ranks"),
            std::string::npos)
      << result.status().message();
}

} // namespace
} // namespace windlass::interpreter
