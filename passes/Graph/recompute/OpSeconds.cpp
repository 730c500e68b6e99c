// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/recompute/OpSeconds.h"

#include "dialects/Graph/IR/GraphKernelCost.h"

using namespace mlir;

namespace windlass::graph {

plan::ElementType operandTypeOf(MatmulOp matmul) {
  const Type element = cast<RankedTensorType>(matmul.getA().getType()).getElementType();
  return element.isBF16()  ? plan::ElementType::BF16
         : element.isF16() ? plan::ElementType::F16
                           : plan::ElementType::F32;
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
  const graph::KernelCost cost = graph::describeOp(op);
  model::InstructionWork work{plan::Opcode::Launch, plan::Lane::Compute, cost.bytes, cost.flops};
  if (auto matmul = dyn_cast<MatmulOp>(op))
    work.product = operandTypeOf(matmul);
  return model::secondsOf(machine, work);
}

} // namespace windlass::graph
