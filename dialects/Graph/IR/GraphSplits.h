// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphSplits.h - what ranks that share out operations have ===========//
//
// Duty: what `parallelise` says beside ops: how many ranks share out the operations of a replica, and which
// part of its tensor each of them has of a state. Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// The axis of the mesh along which ranks share out operations.
inline constexpr llvm::StringLiteral kTensorAxis = "tp";
/// The item of a feed, i32: a rank's coordinate along it.
inline constexpr llvm::StringLiteral kTensorCoordinate = "coordinate.tp";

/// On the module, i64: the ranks along that axis; without it there is one. And how they share out what, in
/// words.
inline constexpr llvm::StringLiteral kTensorRanks = "windlass.tensor_ranks";
inline constexpr llvm::StringLiteral kTensorLayout = "windlass.tensor_layout";
/// On a state: an array of the tensor's period and a rank's width (StateSplit), then the tensor's shape.
inline constexpr llvm::StringLiteral kSplit = "graph.split";

/// Of every `period` elements of the tensor `whole`, row by row, rank c has the `width` from c * width on.
/// Where the last rank's end behind the period, what stands there is padding.
struct StateSplit {
  int64_t period = 0, width = 0;
  llvm::SmallVector<int64_t> whole;

  /// Which element of the whole tensor is a rank's element `i`; nothing for padding.
  std::optional<int64_t> wholeElement(int64_t coordinate, int64_t i) const {
    const int64_t inPeriod = coordinate * width + i % width;
    return inPeriod < period ? std::optional(i / width * period + inPeriod) : std::nullopt;
  }
};

inline std::optional<StateSplit> splitOf(StateOp state) {
  auto numbers = state->getAttrOfType<mlir::DenseI64ArrayAttr>(kSplit);
  if (!numbers)
    return std::nullopt;
  llvm::ArrayRef<int64_t> n = numbers;
  return StateSplit{n[0], n[1], llvm::SmallVector<int64_t>(n.drop_front(2))};
}
inline void setSplit(StateOp state, const StateSplit &split) {
  llvm::SmallVector<int64_t> numbers{split.period, split.width};
  numbers.append(split.whole);
  state->setAttr(kSplit, mlir::DenseI64ArrayAttr::get(state.getContext(), numbers));
}

/// The width of a rank's part that a tile of it has, `extent` indices of dimension `dim` of the rank's
/// tensor: tiles of all ranks, side by side, are a tensor that is split so. Nothing where a tile would cut
/// through several parts, as of queries, keys and values in one matrix.
inline std::optional<int64_t> widthOfTile(int64_t width, llvm::ArrayRef<int64_t> shape, unsigned dim,
                                          int64_t extent) {
  const int64_t inner = llvm::product_of(shape.drop_front(dim + 1));
  if (inner % width == 0)
    return width;
  if (width % (inner * shape[dim]) == 0)
    return width / shape[dim] * extent;
  return std::nullopt;
}

/// Ranks that share out the operations of a replica.
inline int64_t tensorRanksOf(mlir::ModuleOp module) {
  auto ranks = module->getAttrOfType<mlir::IntegerAttr>(kTensorRanks);
  return ranks ? ranks.getInt() : 1;
}

} // namespace windlass::graph
