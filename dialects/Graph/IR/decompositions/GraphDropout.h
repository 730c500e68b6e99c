// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphDropout.h - dropout inside the bodies of maps ====================//
//
// Duty: builds dropout inside the bodies of maps. If the random number of an element is at least the rate,
// the element is divided by one minus the rate; otherwise it becomes 0. The forward and the backward pass
// compute the mask anew; no mask is stored. The random number follows from the element's place in the tensor
// of the whole batch, so that it depends neither on ranks nor on micro-batches: the tensor of a micro-batch
// is a block of rows of that tensor, and `block` is the number of the block. Threads, ownership: as MLIR's.
// Errors: a diagnostic of verifyDropout.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphBuilders.h"

namespace windlass::graph {

/// With tensor-parallel ranks. On an attention (or its gradient) whose heads are shared out, i64: the number
/// of heads of all ranks. On a dropout whose rows are shared out, an array of i64: the shape of the whole
/// tensor.
inline constexpr llvm::StringLiteral kWithin = "graph.within";

/// A block of a tensor. The whole tensor is the block that begins at 0, 0, ...
struct TensorPart {
  llvm::SmallVector<int64_t> whole; ///< the shape of the whole tensor
  llvm::SmallVector<int64_t> first; ///< the indices of the block's first element
  /// If ranks share out a dimension: its number, and the count of its indices on a rank. A rank's first index
  /// is its coordinate times `own`.
  unsigned shared = 0;
  int64_t own = 0;
};

/// The operands and attributes of one dropout.
struct Dropout {
  mlir::Value keys;            ///< n x 2 x i32: the keys of n streams
  mlir::Value block;           ///< rank 0, i32: number of the block in the whole batch
  int64_t site = 0;            ///< number of the stream
  double rate = 0;             ///< the share that is dropped, in [0, 1)
  mlir::Value coordinate = {}; ///< rank 0, i32: this rank's, if ranks share out a dimension

  /// Appends the inputs of dropout to those of a map or reduction of `loops` loops.
  void addReads(unsigned loops, llvm::SmallVectorImpl<mlir::Value> &inputs,
                llvm::SmallVectorImpl<mlir::AffineMap> &maps) const;
  /// In a body whose loops are the dimensions of `part`: whether the element of this iteration is kept.
  /// `reads`: scalars of which the last ones are those of addReads.
  mlir::Value keeps(const Scalars &s, const TensorPart &part, mlir::ValueRange reads) const;
  /// The element, or its gradient, after dropout: scaled if `keeps`, else 0.
  mlir::Value apply(const Scalars &s, mlir::Value keeps, mlir::Value element) const;
};

/// `tensor` after dropout; `part`: its place in the tensor whose elements have random numbers.
mlir::Value buildDropout(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                         const Dropout &dropout, const TensorPart &part);
/// The same for a whole tensor.
mlir::Value buildDropout(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                         const Dropout &dropout);

/// The dropout of an attention or its gradient; nothing if the rate is absent, or if the op draws no mask.
template <typename OpT> std::optional<Dropout> dropoutOf(OpT op) {
  if (!op.getDropout() || op.getRandom().empty())
    return std::nullopt;
  return Dropout{op.getRandom()[0], op.getRandom()[1], static_cast<int64_t>(op.getSite()),
                 op.getDropout()->convertToDouble(),
                 op->hasAttr(kWithin) ? op.getRandom()[2] : mlir::Value()};
}

/// Removes dropout from all ops under `root` that draw no mask: outside of training dropout changes nothing.
void elideDropout(mlir::Operation *root);

/// Verifies a rate, and the operands `random` that random numbers come from: none, or keys and block, then
/// the coordinate if the op has kWithin.
mlir::LogicalResult verifyDropout(mlir::Operation *op, std::optional<llvm::APFloat> rate,
                                  mlir::ValueRange random, int64_t site);

} // namespace windlass::graph
