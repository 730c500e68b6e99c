// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LoopNest.h - walking loops and indexing tensors by them ===============//
//
// Duty: visits every iteration of a nest in program order, and turns an
// indexing map into an element of a row-major tensor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphIndexing.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace windlass::interpreter {

/// Calls `visit` with every index of a nest of these extents, the last loop running fastest.
template <typename Visit> void forEachIndex(llvm::ArrayRef<int64_t> extents, Visit visit) {
  for (int64_t extent : extents)
    if (extent == 0)
      return;
  llvm::SmallVector<int64_t> index(extents.size(), 0);
  while (true) {
    visit(llvm::ArrayRef<int64_t>(index));
    int loop = static_cast<int>(extents.size()) - 1;
    for (; loop >= 0 && ++index[loop] == extents[loop]; --loop)
      index[loop] = 0;
    if (loop < 0)
      return;
  }
}

/// The same in runs of the last loop: calls `visit` with the first index of each and its length, at most
/// `most`.
template <typename Visit> void forEachRun(llvm::ArrayRef<int64_t> extents, int64_t most, Visit visit) {
  if (extents.empty())
    return visit(extents, 1);
  forEachIndex(extents.drop_back(), [&](llvm::ArrayRef<int64_t> outer) {
    llvm::SmallVector<int64_t> first(outer);
    for (first.push_back(0); first.back() < extents.back(); first.back() += most)
      visit(llvm::ArrayRef<int64_t>(first), std::min(most, extents.back() - first.back()));
  });
}

/// The element of a row-major tensor that loops access: base + sum of loop * stride.
class Access {
public:
  /// The results of `map` are sums of loops times constants plus a constant.
  Access(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape) : strides(map.getNumDims(), 0) {
    int64_t stride = 1;
    for (int dim = static_cast<int>(shape.size()) - 1; dim >= 0; stride *= shape[dim--]) {
      graph::LinearIndex index = *graph::linearIndex(map.getResult(dim));
      base += stride * index.constant;
      for (graph::LinearIndex::Term term : index.terms)
        strides[term.loop] += stride * term.factor;
    }
  }

  int64_t at(llvm::ArrayRef<int64_t> loops) const {
    int64_t offset = base;
    for (size_t loop = 0; loop < loops.size(); ++loop)
      offset += strides[loop] * loops[loop];
    return offset;
  }

  /// The stride from one iteration of the last loop to the next.
  int64_t step() const { return strides.empty() ? 0 : strides.back(); }

private:
  llvm::SmallVector<int64_t> strides;
  int64_t base = 0;
};

} // namespace windlass::interpreter
