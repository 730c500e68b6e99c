// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TermSums.h - the order in which the terms of a sum are added up =======//
//
// Duty: the rule of docs/numerics.md, "Inside a kernel", for whatever terms a reduction has:
// up to kTerms are added in index order; of more, the sums of so many each are terms again.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/vectors/VectorBody.h"

namespace windlass::codegen {

using Values = llvm::SmallVector<mlir::Value>;

class TermSums {
public:
  /// What makes the term of a number, one value for each output.
  using Term = llvm::function_ref<Values(mlir::Value)>;

  /// Adds by the combiners of `body`, `width` lanes at once. Terms are made `ahead` at a time (buildLoop).
  TermSums(mlir::OpBuilder &builder, mlir::Location loc, VectorBody &body, int64_t width, int64_t ahead = 1)
      : builder(builder), loc(loc), body(body), width(width), ahead(ahead) {}
  virtual ~TermSums() = default;

  /// initial + `count` terms.
  Values sum(int64_t count, mlir::ValueRange initial, Term term);

protected:
  /// initial + the items that begin at every `span` of [from, to), in index order; at most kTerms.
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

/// Puts the loads of a block, and what computes where they load, before all else. None of them may load what
/// is stored there.
void moveLoadsFirst(mlir::Block &block);

/// A loop that carries values. Of `ahead` iterations at a time the loads come first, so that a thread waits
/// for all of them at once, then the rest in order; what is left is done one by one. For that both numbers
/// are powers of two, no iteration loads what another stores, and `from` is less than `step` behind `to`.
Values buildLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value from, mlir::Value to, int64_t step,
                 mlir::ValueRange carried, llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> inner,
                 int64_t ahead = 1);

} // namespace windlass::codegen
