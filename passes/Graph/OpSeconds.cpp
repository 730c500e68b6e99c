// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/OpSeconds.h"

#include "compiler/codegen/Codegen.h"

using namespace mlir;

namespace windlass::graph {

double matmulSeconds(MatmulOp matmul, double flops, const model::Machine &machine) {
  const Type element = cast<RankedTensorType>(matmul.getA().getType()).getElementType();
  return machine.matmulSeconds(flops, element.isBF16()  ? plan::ElementType::BF16
                                      : element.isF16() ? plan::ElementType::F16
                                                        : plan::ElementType::F32);
}

double secondsOf(Operation *op, const model::Machine &machine) {
  if (isa<ReshapeOp>(op)) // moves nothing
    return 0;
  if (auto composite = dyn_cast<DecomposableOpInterface>(op); composite && !composite.isOneKernel()) {
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    composite.decompose(builder);
    double seconds = 0;
    for (Operation *part = before ? before->getNextNode() : &op->getBlock()->front(); part != op;
         part = part->getNextNode())
      seconds += secondsOf(part, machine);
    return seconds;
  }
  if (!isa<IterationSpaceOpInterface>(op))
    return 0;
  const codegen::KernelCost cost = codegen::describeOp(op);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmulSeconds(matmul, cost.flops, machine);
  return machine.kernelSeconds(cost.bytes, cost.flops);
}

} // namespace windlass::graph
