// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ElementBody.h - one element of a tensor as scalar operations ==========//
//
// Duty: builds the value of an element of a tensor, as a function of loops, from elements in memory. Maps in
// between are not stored: their bodies are inlined, with every rounding of their types.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"

#include <functional>

namespace windlass::codegen {

/// An element of a tensor: loops -> its indices.
using Element = std::pair<mlir::Value, mlir::AffineMap>;
/// Elements in memory and the scalars that hold them, in order of first use.
using LoadedElements = llvm::MapVector<Element, mlir::Value>;

/// Adds to `loaded` the elements that computing `element` reads.
void collectLoads(Element element, LoadedElements &loaded);

/// Emits scalar operations into the body of a loop nest.
class ElementBody {
public:
  using LoopIndex = std::function<mlir::Value(mlir::OpBuilder &, unsigned loop)>;

  /// Tables of literals go into `module`.
  ElementBody(mlir::OpBuilder &builder, mlir::ModuleOp module, const LoadedElements &loaded,
              LoopIndex loopIndex)
      : builder(builder), module(module), loaded(loaded), loopIndex(std::move(loopIndex)) {}

  /// The element, in its compute type.
  mlir::Value emit(Element element);

  /// The yields of `op` (a map or reduction), in compute types, with its loops as functions `loops` of the
  /// nest's.
  llvm::SmallVector<mlir::Value> emitYielded(mlir::Operation *op, mlir::AffineMap loops);

private:
  mlir::Value emitOp(mlir::Operation &op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value emitLookup(graph::LookupOp op, llvm::ArrayRef<mlir::Value> indices);

  mlir::OpBuilder &builder;
  mlir::ModuleOp module;
  const LoadedElements &loaded;
  LoopIndex loopIndex;
  llvm::MapVector<std::pair<mlir::Operation *, mlir::AffineMap>, llvm::SmallVector<mlir::Value>> done;
};

/// Adds to `loaded` the elements that the body of `op` reads, with its loops as functions `loops` of the
/// nest's.
void collectLoads(mlir::Operation *op, mlir::AffineMap loops, LoadedElements &loaded);

} // namespace windlass::codegen
