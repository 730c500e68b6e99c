// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/interpreter/TestModule.h"
#include <cstdio>

using namespace mlir;

namespace windlass::interpreter {
namespace {

Tensor scalar(double value) { return Tensor(ArrayRef<int64_t>(), value); }

constexpr const char *accumulating = R"(
  graph.state @w : tensor<2xf32> role(parameter) init(<normal = false, mean = 3.0 : f64, std = 0.0 : f64>)
      original("w") group("decay")
  graph.step @train {
    %w = graph.read @w : tensor<2xf32>
    %sum = graph.micro_batches count(3) {
      %x = graph.feed "x" : tensor<2xf32>
      %y = graph.map ins(%x, %w : tensor<2xf32>, tensor<2xf32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<2xf32> {
      ^bb0(%a: f32, %b: f32):
        %m = arith.mulf %a, %b : f32
        graph.yield %m : f32
      }
      graph.report "y", %y : tensor<2xf32>
      graph.yield %y : tensor<2xf32>
    } : tensor<2xf32>
    graph.write %sum, @w : tensor<2xf32>
    %again = graph.read @w : tensor<2xf32>
    graph.report "start", %again : tensor<2xf32>
  })";

/// 100 * rank + 10 * micro-batch + place.
Result<Tensor> numbered(const FeedRequest &request) {
  double first = 100.0 * request.rank + 10.0 * static_cast<double>(request.microBatch);
  return Tensor({2}, {first, first + 1});
}

TEST(Interpreter, SumsMicroBatchesOverRanksAndWritesAtTheEndOfTheStep) {
  TestModule test(accumulating);
  Options options;
  options.ranks = 2;
  Interpreter interpreter(*test.module, options);
  auto reports = interpreter.runStep("train", numbered);
  ASSERT_TRUE(reports) << reports.status().message();
  ASSERT_EQ(reports->size(), 8u);
  EXPECT_EQ((*reports)[3].item, "y");
  EXPECT_EQ((*reports)[3].rank, 1);
  EXPECT_EQ((*reports)[3].microBatch, 1);
  EXPECT_EQ((*reports)[3].value, Tensor({2}, {3 * 110, 3 * 111}));
  EXPECT_EQ((*reports)[6].item, "start");
  EXPECT_EQ((*reports)[6].value, Tensor({2}, {3, 3}));
  // Micro-batches start at 0, 10, 20 on rank 0 and at 100, 110, 120 on rank 1.
  for (int rank : {0, 1})
    EXPECT_EQ(interpreter.states(rank).at("w"), Tensor({2}, {3 * 360, 3 * 366}));
}

TEST(Interpreter, LeavesSumsOverRanksToCollectivesWhenAsked) {
  TestModule test(accumulating);
  Options options;
  options.ranks = 2;
  options.sumOverRanks = false;
  Interpreter interpreter(*test.module, options);
  ASSERT_TRUE(interpreter.runStep("train", numbered));
  EXPECT_EQ(interpreter.states(0).at("w"), Tensor({2}, {3 * 30, 3 * 33}));
  EXPECT_EQ(interpreter.states(1).at("w"), Tensor({2}, {3 * 330, 3 * 333}));
}

TEST(Interpreter, EvaluatesAnOpOfAnotherLevelOnAllRanksAtOnce) {
  TestModule test(R"(
    func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
      %y = "test.sum_over_ranks"(%x) : (tensor<f32>) -> tensor<f32>
      return %y : tensor<f32>
    }
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %y = func.call @twice(%x) : (tensor<f32>) -> tensor<f32>
      return %y : tensor<f32>
    })");
  Options options;
  options.ranks = 3;
  Interpreter interpreter(*test.module, options);
  interpreter.setEvaluator("test.sum_over_ranks", [](Operation *op, Execution &execution) {
    double sum = 0;
    for (int rank = 0; rank < execution.ranks(); ++rank)
      sum += execution.get(rank, op->getOperand(0)).data[0];
    for (int rank = 0; rank < execution.ranks(); ++rank)
      execution.set(rank, op->getResult(0), scalar(sum));
    return Status::ok();
  });
  auto results = interpreter.callOnRanks("f", {{scalar(1)}, {scalar(2)}, {scalar(4)}});
  ASSERT_TRUE(results);
  for (const Tensors &result : *results)
    EXPECT_EQ(result[0], scalar(7));
}

TEST(Interpreter, NamesTheOpItCannotEvaluate) {
  TestModule test(R"(
    func.func @f(%x: tensor<f32>) -> tensor<f32> {
      %y = "test.unknown"(%x) : (tensor<f32>) -> tensor<f32>
      return %y : tensor<f32>
    })");
  auto result = Interpreter(*test.module).call("f", {scalar(1)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.status().message(),
            "in function 'f': the interpreter has no evaluator for 'test.unknown'");
}

TEST(Interpreter, RefusesFeedsThatNobodyBringsOrOfAnotherShape) {
  TestModule test(accumulating);
  Interpreter interpreter(*test.module);
  EXPECT_FALSE(interpreter.runStep("train", {}));
  auto wrong = interpreter.runStep("train", [](const FeedRequest &) -> Result<Tensor> { return scalar(1); });
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.status().message().find("item 'x' is fed in another shape than its type"),
            std::string::npos);
}

/// As in a part of a table, and as in generated code.
TEST(Interpreter, LooksUpZeroOutsideTheTable) {
  TestModule test(R"(
    func.func @f(%t: tensor<2x2xf32>, %i: tensor<3xi64>) -> tensor<3x2xf32> {
      %r = graph.embedding %t, %i : tensor<2x2xf32>, tensor<3xi64> -> tensor<3x2xf32>
      return %r : tensor<3x2xf32>
    }
    func.func @g(%g: tensor<3x2xf32>, %i: tensor<3xi64>) -> tensor<2x2xf32> {
      %r = graph.embedding_grad %g, %i : tensor<3x2xf32>, tensor<3xi64> -> tensor<2x2xf32>
      return %r : tensor<2x2xf32>
    })");
  const Tensor indices({3}, {2, 1, -1});
  Interpreter interpreter(*test.module);
  auto rows = interpreter.call("f", {Tensor({2, 2}, {1, 2, 3, 4}), indices});
  ASSERT_TRUE(rows) << rows.status().message();
  EXPECT_EQ((*rows)[0].data, (std::vector<double>{0, 0, 3, 4, 0, 0}));
  auto sums = interpreter.call("g", {Tensor({3, 2}, {1, 2, 3, 4, 5, 6}), indices});
  ASSERT_TRUE(sums) << sums.status().message();
  EXPECT_EQ((*sums)[0].data, (std::vector<double>{0, 0, 3, 4}));
}

TEST(Interpreter, RoundsWhereATypeSaysSoWhenAsked) {
  const char *text = R"(
    func.func @f(%x: tensor<f32>) -> (tensor<f32>, tensor<bf16>) {
      %y:2 = graph.map ins(%x : tensor<f32>) maps [affine_map<() -> ()>] -> tensor<f32>, tensor<bf16> {
      ^bb0(%a: f32):
        %n = arith.truncf %a : f32 to bf16
        graph.yield %a, %n : f32, bf16
      }
      return %y#0, %y#1 : tensor<f32>, tensor<bf16>
    })";
  TestModule test(text);
  auto exact = Interpreter(*test.module).call("f", {scalar(0.1)});
  EXPECT_EQ((*exact)[1], scalar(0.1));
  Options options;
  options.roundToTypes = true;
  auto rounded = Interpreter(*test.module, options).call("f", {scalar(0.1)});
  EXPECT_EQ((*rounded)[0], scalar(0.1f));
  EXPECT_EQ((*rounded)[1], scalar(0.10009765625));
}

TEST(Interpreter, DrawsInitialStatesByTheirOriginalName) {
  const char *text = R"(
    graph.state @%s : tensor<4xf32> role(parameter) init(<normal = true, mean = 1.0 : f64, std = 0.5 : f64>)
        original("the.weight") group("decay")
    graph.step @look {
      %%w = graph.read @%s : tensor<4xf32>
      graph.report "w", %%w : tensor<4xf32>
    })";
  auto initial = [&](const char *symbol, uint64_t seed) {
    char filled[512];
    std::snprintf(filled, sizeof(filled), text, symbol, symbol);
    TestModule test(filled);
    Options options;
    options.seed = seed;
    return Interpreter(*test.module, options).runStep("look", {})->front().value;
  };
  EXPECT_EQ(initial("a", 1), initial("b", 1));
  EXPECT_NE(initial("a", 1), initial("a", 2));
  EXPECT_NE(initial("a", 1).data[0], initial("a", 1).data[1]);
}

} // namespace
} // namespace windlass::interpreter
