// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/kernels/GraphPartialSums.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphDialect.h"

using namespace mlir;

namespace windlass::graph {
namespace {

/// Blocks of threads that keep a large device busy, a few for each of its multiprocessors.
constexpr int64_t kManyBlocks = 512;

/// Bytes of an element in the type in which it is accumulated: f32 for 16-bit floats.
int64_t accumulatedBytes(Type element) {
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  return isa<FloatType>(element) ? std::max<int64_t>(4, bytes) : bytes;
}

bool isOfRow(ReduceOp reduce) { return loopExtents(reduce).size() == 1 && reduce.getDims().size() == 1; }

ReduceOp reductionOf(func::FuncOp kernel) {
  return kernel.isExternal() ? ReduceOp() : dyn_cast<ReduceOp>(kernel.front().front());
}

/// The number of partial sums of each element of the results; 1: one phase is enough.
int64_t partialsOf(ReduceOp reduce) {
  const SmallVector<int64_t> extents = loopExtents(reduce);
  const ArrayRef<int64_t> dims = reduce.getDims();
  if (isOfRow(reduce)) {
    const int64_t blocks = llvm::divideCeil(extents.front(), kReductionBlock);
    return blocks > kTerms ? blocks : 1;
  }
  const int64_t innermost = static_cast<int64_t>(extents.size()) - 1;
  int64_t rows = 1, results = 1;
  for (int64_t loop = 0; loop < innermost; ++loop)
    (llvm::is_contained(dims, loop) ? rows : results) *= extents[loop];
  if (llvm::is_contained(dims, innermost)) {
    if (extents[innermost] > kReductionBlock)
      return 1;
  } else if (results == 1) {
    results = llvm::divideCeil(extents[innermost], kColumnsAtOnce);
  } else { // columns of several groups of rows
    return 1;
  }
  const int64_t blocks = llvm::divideCeil(rows, kTerms);
  return results < kManyBlocks && blocks > kPartedBlocks ? blocks : 1;
}

} // namespace

SmallVector<int64_t> partialBytes(func::FuncOp kernel) {
  SmallVector<int64_t> bytes;
  ReduceOp reduce = reductionOf(kernel);
  if (!reduce)
    return bytes;
  const int64_t partials = partialsOf(reduce);
  if (partials > 1)
    for (Type type : reduce.getResultTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      bytes.push_back(partials * tensor.getNumElements() * accumulatedBytes(tensor.getElementType()));
    }
  return bytes;
}

int64_t rowPieces(func::FuncOp kernel) {
  ReduceOp reduce = reductionOf(kernel);
  return kernel->hasAttr(kPartials) && reduce && isOfRow(reduce) ? partialsOf(reduce) : 0;
}

} // namespace windlass::graph
