// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Segments.h - the segment of every parameter ===========================//
//
// Duty: finds the segments of a model, in program order: the step before its first layer call, each layer
// instance, the step between two calls, the step behind the last. Tensors that are packed or moved together
// are of one segment, so that a cut of the model between layers changes neither packs nor buckets. A
// parameter of a layer is in the segment of its instance. A parameter of the step is in the segment in which
// the step first reads it. A value made of parameters alone (a transposed weight, say) is no read: its own
// readers are, for a pass may move the value to them. The first step of the module that reads a parameter
// decides: running statistics are read by evaluation and not by training.
// Threads, ownership: a value, which does not refer to the module.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "llvm/ADT/StringMap.h"

namespace windlass::dist {

class Segments {
public:
  /// `module`: of the graph level.
  explicit Segments(mlir::ModuleOp module);

  /// The position of a parameter's segment in program order. Layers that no step calls come last; parameters
  /// of the step that no step reads come first.
  int64_t of(graph::StateOp parameter) const;

private:
  void walk(mlir::Block &forward);

  llvm::StringMap<int64_t> instances;  ///< in the order of their first calls, by layer
  llvm::StringMap<int64_t> callsAhead; ///< layer instances called before the first use, by parameter
};

} // namespace windlass::dist
