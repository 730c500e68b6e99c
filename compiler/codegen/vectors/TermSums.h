// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TermSums.h - the order of additions of a sum ==========================//
//
// Duty: builds sums by the rule of docs/numerics.md, "Inside a kernel": up to kTerms terms are added in index
// order; of more terms, the sums of kTerms each are terms again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/vectors/VectorBody.h"

namespace windlass::codegen {

using Values = llvm::SmallVector<mlir::Value>;

class TermSums {
public:
  /// Makes the term of a number: one value per output.
  using Term = llvm::function_ref<Values(mlir::Value)>;

  /// Adds by the combiners of `body`, `width` lanes at once. Terms are made `ahead` at a time (buildLoop).
  TermSums(mlir::OpBuilder &builder, mlir::Location loc, VectorBody &body, int64_t width, int64_t ahead = 1)
      : builder(builder), loc(loc), body(body), width(width), ahead(ahead) {}
  virtual ~TermSums() = default;

  /// `initial` plus `count` terms.
  Values sum(int64_t count, mlir::ValueRange initial, Term term);

protected:
  /// `initial` plus the items that begin at multiples of `span` from `from` to `to`, in index order; at most
  /// kTerms items.
  virtual Values addItems(mlir::Value from, mlir::Value to, int64_t span, mlir::ValueRange initial,
                          Term item);
  mlir::Value constant(int64_t value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  VectorBody &body;
  int64_t width, ahead;

private:
  Values sumSpans(int64_t count, mlir::Value from, mlir::Value to, int64_t span, mlir::ValueRange initial,
                  Term term);
};

/// Moves the loads of a block, and the computation of their addresses, before all other operations. No load
/// may read what the block stores.
void moveLoadsFirst(mlir::Block &block);

/// A loop that carries values. It runs `ahead` iterations at a time: first their loads, so that a thread
/// waits for all of them together, then the rest in order. Remaining iterations run one by one. Both `step`
/// and `ahead` must be powers of two, no iteration may load what another stores, and `from` must be less than
/// `to` + `step`.
Values buildLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value from, mlir::Value to, int64_t step,
                 mlir::ValueRange carried, llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> inner,
                 int64_t ahead = 1);

} // namespace windlass::codegen
