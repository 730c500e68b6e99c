// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PlanKernels.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace windlass;

namespace {

/// PTX cannot have the name of this kernel. No input leads to such a name, so that the error is the
/// compiler's.
constexpr const char *kNoDeviceCode = R"(
#id = affine_map<(d0) -> (d0)>
func.func @"a.b"(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = graph.map ins(%x : tensor<8xf32>) maps [#id] -> tensor<8xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    graph.yield %b : f32
  }
  return %r : tensor<8xf32>
})";

TEST(PlanKernels, aKernelOfWhichNoDeviceCodeIsMadeIsOurFault) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, graph::GraphDialect>();
  StageModules stages;
  stages.push_back(mlir::parseSourceString<mlir::ModuleOp>(kNoDeviceCode, &context));
  ASSERT_TRUE(stages.front());

  plan::Plan plan;
  plan.backend = "cuda";
  plan.kernels.emplace_back().symbol = "a.b";
  plan::Program &program = plan.programs.emplace_back();
  program.sections.emplace_back().instructions.emplace_back().kernel = 0;
  const Status made = generatePlanKernels(stages, "", {}, plan);
  EXPECT_EQ(made.code(), ExitCode::Internal);
  EXPECT_NE(made.message().find("no code for the backend 'cuda': "), std::string::npos) << made.message();
  EXPECT_NE(made.message().find("kernel 'a.b' has a name that no device code can have"), std::string::npos)
      << made.message();
}

} // namespace
