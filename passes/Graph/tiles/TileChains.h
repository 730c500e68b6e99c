// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileChains.h - wide values between linear layers ======================//
//
// Duty: finds chains, such as an MLP: one or more products with weights make a wide matrix (the inner
// activations), maps change it element by element, and one op sums over its columns (the product with the
// next weight, or a cross-entropy). A chain that is cut along these columns never has the whole matrix.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "llvm/ADT/SetVector.h"

namespace windlass::graph {

struct Chain {
  llvm::SmallVector<mlir::Operation *> ops; ///< in program order; the last one sums over columns
  llvm::SmallVector<MatmulOp> starts;       ///< the products that make a matrix
  llvm::SetVector<mlir::Value> wide;        ///< the matrices, all of one shape

  mlir::Operation *end() const { return ops.back(); }
  MatmulOp endMatmul() const { return mlir::dyn_cast<MatmulOp>(ops.back()); }
  CrossEntropyOp loss() const { return mlir::dyn_cast<CrossEntropyOp>(ops.back()); }
  /// Bytes of one column of the matrix with the largest elements.
  int64_t columnBytes() const;
  int64_t columns() const;
};

/// The chain that `start` begins, if every reader of its matrices is in the chain; else nothing.
std::optional<Chain> findChain(MatmulOp start, llvm::function_ref<bool(mlir::Value)> isWeight);

/// Whether a map reads an input element by element; or, of a vector, one element per column.
bool readsElements(MapOp map, unsigned input);
bool readsColumns(MapOp map, unsigned input);

} // namespace windlass::graph
