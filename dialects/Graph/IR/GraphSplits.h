// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphSplits.h - states that are split over tensor-parallel ranks ======//
//
// Duty: the attributes that `parallelise` writes: the number of tensor-parallel ranks, which share out the
// operations of a replica, and the part of each state that a rank has. Units: elements. Threads, ownership:
// as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::graph {

/// The axis of the mesh along which ranks share out operations (tensor parallelism).
inline constexpr llvm::StringLiteral kTensorAxis = "tp";
/// The item of a feed, i32: a rank's coordinate along kTensorAxis.
inline constexpr llvm::StringLiteral kTensorCoordinate = "coordinate.tp";

/// On the module: the number of ranks along that axis (i64; absent for 1), and a text that says which ops
/// they share out, and how.
inline constexpr llvm::StringLiteral kTensorRanks = "windlass.tensor_ranks";
inline constexpr llvm::StringLiteral kTensorLayout = "windlass.tensor_layout";
/// On a state: an array of the tensor's period and a rank's width (StateSplit), then the tensor's shape.
inline constexpr llvm::StringLiteral kSplit = "graph.split";
/// On a pad or a reshape of a rank's part, an array of i64: the dimensions of operand and result that the
/// ranks share out. Of a part with one run of rows and several channels the elements alone do not tell it.
inline constexpr llvm::StringLiteral kSplitDimensions = "graph.split_dimensions";

inline void setSplitDimensions(mlir::Operation *op, int64_t ofOperand, int64_t ofResult) {
  op->setAttr(kSplitDimensions, mlir::DenseI64ArrayAttr::get(op->getContext(), {ofOperand, ofResult}));
}
/// The dimension of the result; nothing where the op says none.
inline std::optional<unsigned> splitDimensionOfResult(mlir::Operation *op) {
  auto numbers = op->getAttrOfType<mlir::DenseI64ArrayAttr>(kSplitDimensions);
  return numbers && numbers.size() == 2 ? std::optional(static_cast<unsigned>(numbers[1])) : std::nullopt;
}

/// Of every `period` elements of a tensor of shape `whole`, in row-major order, rank c has `width` elements,
/// from c * width on. If ranks * width is more than the period, the elements behind the period are padding.
struct StateSplit {
  int64_t period = 0, width = 0;
  llvm::SmallVector<int64_t> whole;

  /// The index in the whole tensor of element `i` of a rank's part; nothing for padding.
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

/// The width of the split of a tile. `width`, `shape`: of a rank's part of the whole tensor; the tile has
/// `extent` indices of dimension `dim` of it. The tiles of all ranks, side by side, are a tensor with this
/// split. Nothing if a tile would cut through several runs of the part, as for a matrix of queries, keys and
/// values.
inline std::optional<int64_t> widthOfTile(int64_t width, llvm::ArrayRef<int64_t> shape, unsigned dim,
                                          int64_t extent) {
  const int64_t inner = llvm::product_of(shape.drop_front(dim + 1));
  if (inner % width == 0)
    return width;
  if (width % (inner * shape[dim]) == 0)
    return width / shape[dim] * extent;
  return std::nullopt;
}

/// The number of ranks that share out the operations of a replica.
inline int64_t tensorRanksOf(mlir::ModuleOp module) {
  auto ranks = module->getAttrOfType<mlir::IntegerAttr>(kTensorRanks);
  return ranks ? ranks.getInt() : 1;
}

} // namespace windlass::graph
