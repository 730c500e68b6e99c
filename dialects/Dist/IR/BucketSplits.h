// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BucketSplits.h - the tensor-parallel split of a bucket's tensors ======//
//
// Duty: writes and reads the attribute graph::kSplit of a bucket: a dictionary from the original name of each
// split tensor to its graph::StateSplit, the part that a rank along the axis `tp` has. Threads, ownership: as
// MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Graph/IR/GraphSplits.h"

namespace windlass::dist {

/// Writes the splits of a bucket's parameters; no attribute if none is split.
inline void noteSplits(BucketOp bucket, llvm::ArrayRef<graph::StateOp> parameters) {
  llvm::SmallVector<mlir::NamedAttribute> splits;
  for (graph::StateOp state : parameters)
    if (auto split = state->getAttrOfType<mlir::DenseI64ArrayAttr>(graph::kSplit);
        split && llvm::none_of(splits, [&](mlir::NamedAttribute known) { // tiles of one tensor share a split
          return known.getName() == state.getOriginalAttr();
        }))
      splits.emplace_back(state.getOriginalAttr(), split);
  if (!splits.empty())
    bucket->setAttr(graph::kSplit, mlir::DictionaryAttr::get(bucket.getContext(), splits));
}

/// The split of a member, as graph::kSplit has it: period, width, then the shape of the whole tensor. Null if
/// every rank has the whole tensor.
inline mlir::DenseI64ArrayAttr splitOf(BucketOp bucket, MemberAttr member) {
  auto splits = bucket->getAttrOfType<mlir::DictionaryAttr>(graph::kSplit);
  return splits ? splits.getAs<mlir::DenseI64ArrayAttr>(member.getOriginal()) : mlir::DenseI64ArrayAttr();
}

} // namespace windlass::dist
