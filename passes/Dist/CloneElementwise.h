// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CloneElementwise.h - an update of one tensor, on another ==============//
//
// Duty: repeats elementwise maps over a parameter on other tensors that hold the same elements: a bucket's
// shard, or a whole unit. Says whether the updates of two parameters are the same maps.
// Errors: a diagnostic at a map that is not elementwise. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/IR/Builders.h"

namespace windlass::dist {

class ElementwiseCloner {
public:
  using Leaf = llvm::function_ref<mlir::Value(mlir::Value)>;

  /// `shape`: of the tensors computed on. `bucket`: noted on the clones unless empty.
  ElementwiseCloner(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> shape, llvm::StringRef bucket)
      : builder(builder), shape(shape), bucket(bucket) {}

  /// From here on, `fresh` stands for `old`.
  void know(mlir::Value old, mlir::Value fresh) { done[old] = fresh; }

  /// `leaf` stands for a gradient or a state that is read.
  mlir::FailureOr<mlir::Value> clone(mlir::Value value, Leaf leaf);

private:
  mlir::OpBuilder &builder;
  llvm::SmallVector<int64_t> shape;
  llvm::StringRef bucket;
  llvm::DenseMap<mlir::Value, mlir::Value> done;
};

/// True if two updates do the same to their parameters.
bool sameUpdate(mlir::Value a, mlir::Value b);

} // namespace windlass::dist
