// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of every compute op, checked against the shapes of its operands and results.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/kernels/GraphBodyCost.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace windlass::graph {
namespace {

constexpr const char *everyOp = R"(
  func.func @f(%x: tensor<6x8xf32>, %s: tensor<8xf32>, %l: tensor<6xi64>, %a: tensor<3x4x2xf32>, %b: tensor<3x4x5xf32>,
               %qkv: tensor<6x24xf32>, %t: tensor<9x8xf32>,
               %c: tensor<2x4x3xf32>, %h: tensor<4xf32>) {
    %map = graph.map ins(%x, %s : tensor<6x8xf32>, tensor<8xf32>)
        maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>] -> tensor<8x6xf32> {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      %n = arith.addf %m, %q : f32
      graph.yield %n : f32
    }
    %reduce = graph.reduce sum over [0] ins(%x, %s : tensor<6x8xf32>, tensor<8xf32>)
        maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<8xf32> {
    ^bb0(%p: f32, %q: f32):
      %m = arith.mulf %p, %q : f32
      graph.yield %m : f32
    }
    %stack = graph.stack axis 1 ins(%x, %x : tensor<6x8xf32>, tensor<6x8xf32>)
        map affine_map<(d0, d1, d2) -> (d2, d0)> -> tensor<8x2x6xf32>
    %matmul = graph.matmul %a transposed, %b : tensor<3x4x2xf32>, tensor<3x4x5xf32> -> tensor<3x2x5xf32>
    %embedding = graph.embedding %t, %l : tensor<9x8xf32>, tensor<6xi64> -> tensor<6x8xf32>
    %embedding_grad = graph.embedding_grad %x, %l : tensor<6x8xf32>, tensor<6xi64> -> tensor<9x8xf32>
    %norm, %mean, %rstd = graph.layer_norm %x, %s, %s epsilon(1.0e-5) : tensor<6x8xf32>, tensor<8xf32>, tensor<8xf32>
        -> tensor<6x8xf32>, tensor<6xf32>, tensor<6xf32>
    %norm_grad = graph.layer_norm_grad %x, %x, %s, %mean, %rstd : tensor<6x8xf32>, tensor<6x8xf32>, tensor<8xf32>,
        tensor<6xf32>, tensor<6xf32> -> tensor<6x8xf32>
    %batch_norm, %um, %uv = graph.batch_norm %c, %h, %h running(%h, %h) epsilon(1.0e-5) momentum(0.1)
        : tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
        -> tensor<2x4x3xf32>, tensor<4xf32>, tensor<4xf32>
    %softmax, %e = graph.softmax %x : tensor<6x8xf32> -> tensor<6x8xf32>, tensor<6xf32>
    %losses, %lse = graph.cross_entropy %x, %l : tensor<6x8xf32>, tensor<6xi64> -> tensor<6xf32>, tensor<6xf32>
    %loss_grad = graph.cross_entropy_grad %losses, %x, %l, %lse : tensor<6xf32>, tensor<6x8xf32>, tensor<6xi64>,
        tensor<6xf32> -> tensor<6x8xf32>
    %attention, %rows = graph.attention %qkv batch(2) heads(2) : tensor<6x24xf32> -> tensor<6x8xf32>, tensor<2x2x3xf32>
    %dqkv = graph.attention_grad %x, %attention, %rows of %qkv batch(2) heads(2)
        : tensor<6x8xf32>, tensor<6x8xf32>, tensor<2x2x3xf32> of tensor<6x24xf32> -> tensor<6x24xf32>
    %dropout = graph.dropout %x rate(0.5) : tensor<6x8xf32>
    %rms, %rrms = graph.rms_norm %x, %s epsilon(1.0e-5) : tensor<6x8xf32>, tensor<8xf32> -> tensor<6x8xf32>, tensor<6xf32>
    %rms_grad = graph.rms_norm_grad %x, %x, %s, %rrms : tensor<6x8xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<6xf32>
        -> tensor<6x8xf32>
    %pad = graph.pad %x before [0, 1] steps [1, 1] : tensor<6x8xf32> -> tensor<6x10xf32>
    %again = graph.reshape %x : tensor<6x8xf32> -> tensor<8x6xf32>
    %length = graph.grad_norm %x, %s : tensor<6x8xf32>, tensor<8xf32> -> tensor<f32>
    %max = graph.reduce max over [1] ins(%x : tensor<6x8xf32>)
        maps [affine_map<(d0, d1) -> (d0, d1)>] -> tensor<6xf32> {
    ^bb0(%p: f32):
      graph.yield %p : f32
    }
    return
  })";

class GraphLoops : public testing::Test {
protected:
  GraphLoops() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, GraphDialect>();
    module = parseSourceString<ModuleOp>(everyOp, &context);
    module->walk([&](IterationSpaceOpInterface op) { ops.push_back(op); });
  }

  template <typename OpT> IterationSpaceOpInterface find() {
    for (IterationSpaceOpInterface op : ops)
      if (isa<OpT>(op))
        return op;
    return {};
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  SmallVector<IterationSpaceOpInterface> ops;
};

/// The last index that the loops reach in each dimension.
SmallVector<int64_t> lastIndex(AffineMap map, ArrayRef<int64_t> extents) {
  SmallVector<int64_t> last;
  for (int64_t extent : extents)
    last.push_back(extent - 1);
  return map.compose(last);
}

TEST_F(GraphLoops, ReachExactlyTheShapesOfOperandsAndResults) {
  ASSERT_EQ(ops.size(), 17u);
  for (IterationSpaceOpInterface op : ops) {
    SmallVector<int64_t> extents = op.getIterationExtents();
    auto expectReached = [&](ValueRange values, ArrayRef<AffineMap> maps) {
      ASSERT_EQ(values.size(), maps.size()) << op->getName().getStringRef().str();
      for (auto [value, map] : llvm::zip_equal(values, maps)) {
        if (!map)
          continue;
        SmallVector<int64_t> last(typeOf(value).getShape());
        for (int64_t &extent : last)
          --extent;
        EXPECT_EQ(lastIndex(map, extents), last) << op->getName().getStringRef().str();
      }
    };
    expectReached(op->getOperands(), op.getOperandMaps());
    expectReached(op->getResults(), op.getResultMaps());
  }
}

/// docs/dialects/graph.md gives the reason for these four ops.
TEST_F(GraphLoops, AreThereForAllOpsButFour) {
  int others = 0;
  module->walk([&](Operation *op) {
    if (!isa_and_nonnull<func::FuncOp>(op->getParentOp()) || !isa<GraphDialect>(op->getDialect()))
      return;
    bool isOther = isa<ReshapeOp, GradNormOp, DropoutOp, AttentionGradOp>(op);
    others += isOther;
    EXPECT_NE(isa<IterationSpaceOpInterface>(op), isOther) << op->getName().getStringRef().str();
  });
  EXPECT_EQ(others, 4);
}

TEST_F(GraphLoops, BeginWithTheParallelOnes) {
  for (IterationSpaceOpInterface op : ops) {
    SmallVector<LoopKind> kinds = op.getLoopKinds();
    EXPECT_EQ(kinds.size(), op.getIterationExtents().size());
    EXPECT_TRUE(llvm::is_sorted(kinds)) << op->getName().getStringRef().str();
    EXPECT_EQ(kinds.front(), LoopKind::Parallel) << op->getName().getStringRef().str();
  }
}

/// The kinds of loops, such as "parallel, sum".
std::string kindsOf(IterationSpaceOpInterface op) {
  std::string kinds;
  for (LoopKind kind : op.getLoopKinds())
    kinds += (kinds.empty() ? "" : ", ") + stringifyLoopKind(kind).str();
  return kinds;
}

TEST_F(GraphLoops, SayWhatBecomesOfThemWhereTheyAreSharedOut) {
  const std::map<std::string, std::string> expected = {
      {"graph.map", "parallel, parallel"},
      {"graph.reduce", "parallel, sum"},
      {"graph.stack", "parallel, parallel, parallel"},
      {"graph.matmul", "parallel, parallel, parallel, sum"},
      {"graph.embedding", "parallel, parallel"},
      {"graph.embedding_grad", "parallel, sum"},
      {"graph.layer_norm", "parallel, whole"},
      {"graph.layer_norm_grad", "parallel, whole"},
      {"graph.batch_norm", "parallel, whole, whole"},
      {"graph.softmax", "parallel, whole"},
      {"graph.cross_entropy", "parallel, whole"},
      {"graph.cross_entropy_grad", "parallel, parallel"},
      {"graph.attention", "parallel, parallel, parallel, parallel, whole"},
      {"graph.rms_norm", "parallel, whole"},
      {"graph.rms_norm_grad", "parallel, whole"},
      {"graph.pad", "parallel, parallel"},
  };
  std::map<std::string, std::string> found;
  for (IterationSpaceOpInterface op : ops)
    found.try_emplace(op->getName().getStringRef().str(), kindsOf(op));
  EXPECT_EQ(found, expected);
  EXPECT_EQ(ops.size(), expected.size() + 1); // and a maximum
}

/// The maxima that ranks find of their parts must not be added.
TEST_F(GraphLoops, AreWholeInAMaximum) { EXPECT_EQ(kindsOf(ops.back()), "parallel, whole"); }

TEST_F(GraphLoops, CountFlops) {
  EXPECT_EQ(find<MatmulOp>().getFlops(), 2.0 * 3 * 2 * 5 * 4);
  EXPECT_EQ(find<MapOp>().getFlops(), (2 + kLaneLoadOperations) * 6 * 8); // one input is read across rows
  EXPECT_EQ(find<ReduceOp>().getFlops(), 2.0 * 6 * 8);
  EXPECT_EQ(find<EmbeddingOp>().getFlops(), 0.0);
}

} // namespace
} // namespace windlass::graph
