// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/splits/SplitShapes.h"

#include "dialects/Graph/IR/GraphIndexing.h"

using namespace mlir;

namespace windlass::graph {

SplitForm evenSplit(int64_t period, int64_t ranks) {
  return SplitForm::split(period, (period + ranks - 1) / ranks);
}

std::optional<PeriodicPart> splitDimension(ArrayRef<int64_t> shape, const SplitForm &form) {
  if (!form.isSplit())
    return std::nullopt;
  int64_t inner = 1; // elements of one index
  for (unsigned dim = shape.size(); dim-- > 0; inner *= shape[dim]) {
    const int64_t period = form.period / inner, width = form.width / inner;
    if (form.period % inner == 0 && form.width % inner == 0 && width < period && shape[dim] % period == 0)
      return PeriodicPart{dim, period, width};
  }
  return std::nullopt;
}

SplitForm formOf(ArrayRef<int64_t> shape, const PeriodicPart &dimension) {
  const int64_t inner = llvm::product_of(shape.drop_front(dimension.of + 1));
  return SplitForm::split(dimension.period * inner, dimension.width * inner);
}

SmallVector<int64_t> localShape(ArrayRef<int64_t> shape, const SplitForm &form) {
  SmallVector<int64_t> local(shape);
  if (std::optional<PeriodicPart> part = splitDimension(shape, form))
    local[part->of] = shape[part->of] / part->period * part->width;
  return local;
}

std::optional<unsigned> plainLoop(AffineMap map, unsigned dimension) {
  std::optional<LinearIndex> index = map ? linearIndex(map.getResult(dimension)) : std::nullopt;
  if (!index || !index->isPlain())
    return std::nullopt;
  return index->terms[0].loop;
}

std::optional<unsigned> plainDimension(AffineMap map, unsigned loop, bool &isElsewhere) {
  std::optional<unsigned> found;
  for (unsigned dim = 0, e = map.getNumResults(); dim < e; ++dim) {
    if (!map.getResult(dim).isFunctionOfDim(loop))
      continue;
    if (found || plainLoop(map, dim) != loop)
      isElsewhere = true;
    found = dim;
  }
  return found;
}

} // namespace windlass::graph
