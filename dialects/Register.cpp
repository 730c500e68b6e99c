#include "dialects/Register.h"

#include "dialects/Graph/IR/GraphDialect.h"

void windlass::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                  graph::GraphDialect>();
}
