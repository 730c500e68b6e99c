// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphDropout.h - which elements are dropped, inside bodies ==========//
//
// Duty: writes dropout into the bodies of maps. An element stays if its random
// number is at least the rate, and is then divided by one minus the rate; else it
// is 0. The mask is computed where it is used, forward and backward, and kept
// nowhere. The random number is that of the element's place in the whole batch,
// so that it depends neither on ranks nor on micro-batches: a tensor is a block of
// rows of the whole batch's, and `block` says which.
// Threads, ownership: as MLIR's. Errors: a diagnostic of verifyDropout.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphBuilders.h"

namespace windlass::graph {

/// On an attention or its gradient of which ranks share out the heads, i64: how many there are in all. On a
/// dropout of which they share out the rows, an array of i64: the shape of the whole tensor.
inline constexpr llvm::StringLiteral kWithin = "graph.within";

/// A block of a tensor: all of it begins at 0, 0, ...
struct TensorPart {
  llvm::SmallVector<int64_t> whole; ///< the shape of all of it
  llvm::SmallVector<int64_t> first; ///< the indices of the block's first element
  /// Where ranks share out a dimension: which, and how many of its indices a rank has. A rank's coordinate
  /// times that stands before them.
  unsigned shared = 0;
  int64_t own = 0;
};

struct Dropout {
  mlir::Value keys;  ///< n x 2 x i32: the keys of n streams
  mlir::Value block; ///< rank 0, i32: how many tensors of this one's size stand before it in the batch
  int64_t site = 0;  ///< which of the streams
  double rate = 0;   ///< the share that is dropped, in [0, 1)
  mlir::Value coordinate = {}; ///< rank 0, i32, where ranks share out a dimension: which of them this is

  /// Appends what the bodies read to the inputs of a map or reduction of `loops` loops.
  void addReads(unsigned loops, llvm::SmallVectorImpl<mlir::Value> &inputs,
                llvm::SmallVectorImpl<mlir::AffineMap> &maps) const;
  /// Whether this iteration's element stays; the loops are the dimensions of `part`. `reads`: the scalars of
  /// addReads, the last ones of the body.
  mlir::Value keeps(const Scalars &s, const TensorPart &part, mlir::ValueRange reads) const;
  /// The element, or the gradient of it.
  mlir::Value apply(const Scalars &s, mlir::Value keeps, mlir::Value element) const;
};

/// A tensor after dropout; `tensor` is this part of the one whose elements are numbered.
mlir::Value buildDropout(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                         const Dropout &dropout, const TensorPart &part);
/// The same for a whole tensor.
mlir::Value buildDropout(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                         const Dropout &dropout);

/// The dropout of an attention or its gradient; nothing where it has none, or none is asked for here.
template <typename OpT> std::optional<Dropout> dropoutOf(OpT op) {
  if (!op.getDropout() || op.getRandom().empty())
    return std::nullopt;
  return Dropout{op.getRandom()[0], op.getRandom()[1], static_cast<int64_t>(op.getSite()),
                 op.getDropout()->convertToDouble(),
                 op->hasAttr(kWithin) ? op.getRandom()[2] : mlir::Value()};
}

/// Takes dropout from all ops under `root` that draw no mask: what training does not ask for changes nothing.
void elideDropout(mlir::Operation *root);

/// The rules of a rate and of what its random numbers come from, `random`: nothing, or keys and block, and
/// the coordinate of a rank that has a part.
mlir::LogicalResult verifyDropout(mlir::Operation *op, std::optional<llvm::APFloat> rate,
                                  mlir::ValueRange random, int64_t site);

} // namespace windlass::graph
