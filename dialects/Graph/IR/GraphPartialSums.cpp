// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/GraphPartialSums.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphDialect.h"

using namespace mlir;

namespace windlass::graph {
namespace {

/// Blocks of threads that keep a large device busy, a few for each of its multiprocessors.
constexpr int64_t kManyBlocks = 512;

/// Of an element as it is accumulated: of 16 bits in f32.
int64_t accumulatedBytes(Type element) {
  const int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  return isa<FloatType>(element) ? std::max<int64_t>(4, bytes) : bytes;
}

/// Partial sums that there are of each result's element; 1: it is not worth a phase.
int64_t partialsOf(ReduceOp reduce) {
  const SmallVector<int64_t> extents = loopExtents(reduce);
  const ArrayRef<int64_t> dims = reduce.getDims();
  if (extents.size() == 1 && dims.size() == 1) {
    const int64_t blocks = llvm::divideCeil(extents.front(), kReductionBlock);
    return blocks > kTerms ? blocks : 1;
  }
  // Sums of columns: all loops but the last.
  const int64_t columns = extents.back(), loops = static_cast<int64_t>(extents.size());
  if (static_cast<int64_t>(dims.size()) != loops - 1 || llvm::is_contained(dims, loops - 1))
    return 1;
  int64_t rows = 1;
  for (int64_t extent : ArrayRef(extents).drop_back())
    rows *= extent;
  const int64_t blocks = llvm::divideCeil(rows, kTerms);
  const bool areFew = llvm::divideCeil(columns, kColumnsAtOnce) < kManyBlocks;
  return areFew && blocks > kPartedBlocks ? blocks : 1;
}

} // namespace

SmallVector<int64_t> partialBytes(func::FuncOp kernel) {
  SmallVector<int64_t> bytes;
  auto reduce = kernel.isExternal() ? ReduceOp() : dyn_cast<ReduceOp>(kernel.front().front());
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

} // namespace windlass::graph
