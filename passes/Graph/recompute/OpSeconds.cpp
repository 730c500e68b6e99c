// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/recompute/OpSeconds.h"

#include "dialects/Graph/IR/decompositions/AttentionScores.h"
#include "dialects/Graph/IR/kernels/GraphKernelCost.h"
#include <numeric>

using namespace mlir;

namespace windlass::graph {

model::Product productOf(MatmulOp matmul) {
  const auto a = cast<RankedTensorType>(matmul.getA().getType());
  const auto result = cast<RankedTensorType>(matmul.getResult().getType());
  const plan::ElementType type = a.getElementType().isBF16()  ? plan::ElementType::BF16
                                 : a.getElementType().isF16() ? plan::ElementType::F16
                                                              : plan::ElementType::F32;
  const ArrayRef<int64_t> rowsAndColumns = result.getShape().take_back(2);
  const int64_t terms = a.getDimSize(a.getRank() - (matmul.getTransposeA() ? 2 : 1));
  return {type, std::gcd(std::gcd(rowsAndColumns[0], rowsAndColumns[1]), terms)};
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
    work.product = productOf(matmul);
  return model::secondsOf(machine, work);
}

double secondsOf(Operation *op, const model::Machine &machine) { return secondsOf(op, machine, {}); }

} // namespace windlass::graph
