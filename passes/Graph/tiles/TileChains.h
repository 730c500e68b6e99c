// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileChains.h - wide values between linear layers ====================//
//
// Duty: finds chains: one or more products with weights make a matrix, maps change it element by element, and
// one op sums its columns up again, a product with another weight or a cross-entropy. Cut along those
// columns, the matrix (the inner activations of an MLP, logits) never exists whole. Threads, ownership: as
// MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "llvm/ADT/SetVector.h"

namespace windlass::graph {

struct Chain {
  llvm::SmallVector<mlir::Operation *> ops; ///< in program order, the end is the last
  llvm::SmallVector<MatmulOp> starts;
  llvm::SetVector<mlir::Value> wide; ///< the matrices, all of one shape

  mlir::Operation *end() const { return ops.back(); }
  MatmulOp endMatmul() const { return mlir::dyn_cast<MatmulOp>(ops.back()); }
  CrossEntropyOp loss() const { return mlir::dyn_cast<CrossEntropyOp>(ops.back()); }
  /// Of one column of the widest matrix.
  int64_t columnBytes() const;
  int64_t columns() const;
};

/// The chain that `start` begins, if all that is made of its result stays inside.
std::optional<Chain> findChain(MatmulOp start, llvm::function_ref<bool(mlir::Value)> isWeight);

/// Whether a map reads an input element by element, or, a vector, column by column.
bool readsElements(MapOp map, unsigned input);
bool readsColumns(MapOp map, unsigned input);

} // namespace windlass::graph
