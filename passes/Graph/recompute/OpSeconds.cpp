// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/recompute/OpSeconds.h"

#include "dialects/Graph/IR/AttentionScores.h"
#include "dialects/Graph/IR/GraphKernelCost.h"

using namespace mlir;

namespace windlass::graph {

plan::ElementType operandTypeOf(MatmulOp matmul) {
  const Type element = cast<RankedTensorType>(matmul.getA().getType()).getElementType();
  return element.isBF16()  ? plan::ElementType::BF16
         : element.isF16() ? plan::ElementType::F16
                           : plan::ElementType::F32;
}

static double secondsOf(Operation *op, const model::Machine &machine, const ScoreSet &onChip) {
  if (isa<ReshapeOp>(op)) // moves nothing
    return 0;
  if (auto composite = dyn_cast<DecomposableOpInterface>(op); composite && !composite.isOneKernel()) {
    Operation *before = op->getPrevNode();
    OpBuilder builder(op);
    composite.decompose(builder);
    const auto begin = before ? std::next(before->getIterator()) : op->getBlock()->begin();
    const auto parts = llvm::make_range(begin, op->getIterator());
    const ScoreSet scores =
        machine.fusedAttention ? findScores(parts, [](Operation &part) { return &part; }) : ScoreSet();
    double seconds = 0;
    for (Operation &part : parts)
      seconds += secondsOf(&part, machine, scores);
    return seconds;
  }
  if (!isa<IterationSpaceOpInterface>(op))
    return 0;
  graph::KernelCost cost = graph::describeOp(op);
  cost.bytes -= bytesAt(op, scorePositions(op, onChip));
  model::InstructionWork work{plan::Opcode::Launch, plan::Lane::Compute, cost.bytes, cost.flops};
  if (auto matmul = dyn_cast<MatmulOp>(op))
    work.product = operandTypeOf(matmul);
  return model::secondsOf(machine, work);
}

double secondsOf(Operation *op, const model::Machine &machine) { return secondsOf(op, machine, {}); }

} // namespace windlass::graph
