// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel table of a plan: the sizes of operands, and operands that the plan may divide into chunks.
#include "compiler/emit/EmitKernels.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "runtime/plan/Enums.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace windlass;
using plan::Access;

namespace {

class EmitKernels : public testing::Test {
protected:
  EmitKernels() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, graph::GraphDialect,
                        dist::DistDialect>();
  }

  Result<plan::Kernel> emit(const std::string &text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return emitKernel(*module->getOps<func::FuncOp>().begin());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(EmitKernels, aMatmulIsACallOfALibrary) {
  Result<plan::Kernel> kernel = emit(R"(
    func.func private @m(%a: tensor<3x4x2xbf16>, %b: tensor<3x4x5xbf16>) -> tensor<3x2x5xf32> attributes {dist.kernel} {
      %c = graph.matmul %a transposed, %b : tensor<3x4x2xbf16>, tensor<3x4x5xbf16> -> tensor<3x2x5xf32>
      return %c : tensor<3x2x5xf32>
    })");
  ASSERT_TRUE(kernel) << kernel.status().message();
  EXPECT_EQ(kernel->symbol, "m");
  EXPECT_EQ(kernel->kind, plan::KernelKind::Matmul);
  const plan::MatmulSpec &spec = kernel->matmul;
  EXPECT_EQ(std::tuple(spec.batch, spec.m, spec.n, spec.k), std::tuple(3, 2, 5, 4));
  EXPECT_TRUE(spec.transposeA);
  EXPECT_FALSE(spec.transposeB);
  EXPECT_FALSE(spec.accumulate);
  EXPECT_EQ(std::tuple(spec.a, spec.b, spec.c),
            std::tuple(plan::ElementType::BF16, plan::ElementType::BF16, plan::ElementType::F32));
  EXPECT_EQ(kernel->args, (std::vector{Access::Read, Access::Read, Access::Write, Access::Scratch}));
  EXPECT_EQ(kernel->argBytes, (std::vector<int64_t>{48, 120, 120, 0}));
  EXPECT_EQ(kernel->flops, 2.0 * 3 * 2 * 5 * 4);
  EXPECT_EQ(kernel->description, "matmul 3x2x5");
}

TEST_F(EmitKernels, aMapOverRowsHasOperandsOfFixedSize) {
  Result<plan::Kernel> kernel = emit(R"(
    func.func private @bias(%x: tensor<6x8xf32>, %b: tensor<8xbf16>) -> tensor<6x8xf32> attributes {dist.kernel} {
      %y = graph.map ins(%x, %b : tensor<6x8xf32>, tensor<8xbf16>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<6x8xf32> {
      ^bb0(%p: f32, %q: bf16):
        %w = arith.extf %q : bf16 to f32
        %s = arith.addf %p, %w : f32
        graph.yield %s : f32
      }
      return %y : tensor<6x8xf32>
    })");
  ASSERT_TRUE(kernel) << kernel.status().message();
  EXPECT_EQ(kernel->kind, plan::KernelKind::Generated);
  EXPECT_EQ(kernel->args, (std::vector{Access::Read, Access::Read, Access::Write}));
  EXPECT_EQ(kernel->argBytes, (std::vector<int64_t>{192, 16, 192}));
  EXPECT_EQ(kernel->extent, 6);
  EXPECT_EQ(kernel->bytes, 192 + 16 + 192);
}

/// In a map over one dimension the plan divides the operands that are read and written element by element,
/// and no scalar.
TEST_F(EmitKernels, aMapOverOneDimensionIsCutByThePlan) {
  Result<plan::Kernel> kernel = emit(R"(
    func.func private @sgd(%w: tensor<128xf32>, %g: tensor<128xf32>, %r: tensor<f32>) -> tensor<128xf32> attributes {dist.kernel} {
      %y = graph.map ins(%w, %g, %r : tensor<128xf32>, tensor<128xf32>, tensor<f32>)
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>] -> tensor<128xf32> {
      ^bb0(%p: f32, %q: f32, %s: f32):
        %t = arith.mulf %q, %s : f32
        %u = arith.subf %p, %t : f32
        graph.yield %u : f32
      }
      return %y : tensor<128xf32>
    })");
  ASSERT_TRUE(kernel) << kernel.status().message();
  EXPECT_EQ(kernel->argBytes, (std::vector<int64_t>{0, 0, 4, 0}));
  EXPECT_EQ(kernel->extent, 128);
}

/// An operand that is read at another place than the result is written cannot be divided.
TEST_F(EmitKernels, anOperandReadAtAnotherPlaceIsNotCut) {
  Result<plan::Kernel> kernel = emit(R"(
    func.func private @slice(%x: tensor<128xf32>, %y: tensor<64xf32>) -> tensor<64xf32> attributes {dist.kernel} {
      %z = graph.map ins(%x, %y : tensor<128xf32>, tensor<64xf32>)
          maps [affine_map<(d0) -> (d0 + 64)>, affine_map<(d0) -> (d0)>] -> tensor<64xf32> {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        graph.yield %s : f32
      }
      return %z : tensor<64xf32>
    })");
  ASSERT_TRUE(kernel) << kernel.status().message();
  EXPECT_EQ(kernel->argBytes, (std::vector<int64_t>{512, 0, 0}));
}

TEST_F(EmitKernels, refusesATypeThatNoPlanHas) {
  Result<plan::Kernel> kernel = emit(R"(
    func.func private @wide(%x: tensor<8xi64>) -> tensor<8xi64> attributes {dist.kernel} {
      %y = graph.map ins(%x : tensor<8xi64>) maps [affine_map<(d0) -> (d0)>] -> tensor<8xi64> {
      ^bb0(%p: i64):
        graph.yield %p : i64
      }
      return %y : tensor<8xi64>
    })");
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.status().message(), "a plan has no element type i64");
}

} // namespace
