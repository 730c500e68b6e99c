// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/decompositions/AttentionScores.h"

#include "dialects/Graph/IR/GraphDialect.h"

using namespace mlir;

namespace windlass::graph {
namespace {

bool makesScores(Operation *op) {
  auto product = dyn_cast<MatmulOp>(op);
  return product && cast<RankedTensorType>(product.getResult().getType()).getRank() > 2 &&
         !product.getTransposeA() && product.getTransposeB();
}

int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

} // namespace

ScoreSet findScores(llvm::iterator_range<Block::iterator> ops,
                    llvm::function_ref<Operation *(Operation &)> computed) {
  ScoreSet scores;
  for (Operation &op : ops) {
    Operation *what = computed(op);
    if (!what)
      continue;
    if (makesScores(what)) {
      scores.insert(op.getResult(0));
      continue;
    }
    if (!isa<ReshapeOp, SoftmaxOp, MapOp>(what))
      continue;
    const auto read =
        llvm::find_if(op.getOperands(), [&](Value operand) { return scores.contains(operand); });
    if (read == op.getOperands().end())
      continue;
    for (Value result : op.getResults())
      if (elementsOf(result) == elementsOf(*read))
        scores.insert(result);
  }
  return scores;
}

SmallVector<int64_t> scorePositions(Operation *op, const ScoreSet &scores) {
  SmallVector<Value> values(op->getOperands());
  values.append(op->result_begin(), op->result_end());
  SmallVector<int64_t> positions;
  for (auto [i, value] : llvm::enumerate(values))
    if (scores.contains(value))
      positions.push_back(static_cast<int64_t>(i));
  return positions;
}

} // namespace windlass::graph
