// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Register.h"

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Flow/IR/FlowDialect.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Plan/IR/PlanDialect.h"

void windlass::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                  graph::GraphDialect, dist::DistDialect, flow::FlowDialect, plandialect::PlanDialect>();
}
