// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- BucketSplits.h - which parts of its tensors a rank's bucket has =====//
//
// Duty: what a bucket of split states says beside its units: of each tensor, by its original name, the part
// that a rank along the axis `tp` has (graph::StateSplit), under graph::kSplit. Threads, ownership: as
// MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Graph/IR/GraphSplits.h"

namespace windlass::dist {

/// Notes how the parameters of a bucket are split; nothing where they are not.
inline void noteSplits(BucketOp bucket, llvm::ArrayRef<graph::StateOp> parameters) {
  llvm::SmallVector<mlir::NamedAttribute> splits;
  for (graph::StateOp state : parameters)
    if (auto split = state->getAttrOfType<mlir::DenseI64ArrayAttr>(graph::kSplit);
        split && llvm::none_of(splits, [&](mlir::NamedAttribute known) { // of several tiles one says it
          return known.getName() == state.getOriginalAttr();
        }))
      splits.emplace_back(state.getOriginalAttr(), split);
  if (!splits.empty())
    bucket->setAttr(graph::kSplit, mlir::DictionaryAttr::get(bucket.getContext(), splits));
}

/// Period, width and shape of the whole tensor; null where every rank has all of it.
inline mlir::DenseI64ArrayAttr splitOf(BucketOp bucket, MemberAttr member) {
  auto splits = bucket->getAttrOfType<mlir::DictionaryAttr>(graph::kSplit);
  return splits ? splits.getAs<mlir::DenseI64ArrayAttr>(member.getOriginal()) : mlir::DenseI64ArrayAttr();
}

} // namespace windlass::dist
