// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/placements/Repeats.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphIndexing.h"

using namespace mlir;

namespace windlass::graph {

bool repeatsAlong(Value tensor, unsigned dim) {
  if (auto reshape = tensor.getDefiningOp<ReshapeOp>()) {
    Value input = reshape.getInput();
    for (auto [of, extent] : llvm::enumerate(typeOf(input).getShape()))
      if (extent > 1 && !repeatsAlong(input, of))
        return false;
    return true;
  }
  if (auto batches = tensor.getDefiningOp<MicroBatchesOp>()) { // a sum of what each micro-batch repeats
    const unsigned number = cast<OpResult>(tensor).getResultNumber();
    return repeatsAlong(batches.getBody().front().getTerminator()->getOperand(number), dim);
  }
  auto map = tensor.getDefiningOp<MapOp>();
  if (!map)
    return false;
  auto space = cast<IterationSpaceOpInterface>(map.getOperation());
  std::optional<LinearIndex> index =
      linearIndex(space.getResultMaps()[cast<OpResult>(tensor).getResultNumber()].getResult(dim));
  if (!index || !index->isPlain())
    return false;
  const unsigned loop = index->terms[0].loop;
  bool repeats = true;
  map->walk([&](IndexOp read) { repeats &= read.getDim() != loop; });
  for (auto [operand, through] : llvm::zip_equal(map->getOperands(), space.getOperandMaps()))
    for (unsigned of = 0; of < through.getNumResults(); ++of) {
      const AffineExpr expression = through.getResult(of);
      if (expression.isFunctionOfDim(loop))
        repeats &= expression == getAffineDimExpr(loop, map.getContext()) && repeatsAlong(operand, of);
    }
  return repeats;
}

} // namespace windlass::graph
