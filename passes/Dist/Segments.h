// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Segments.h - which parameters a cut between layers parts ============//
//
// Duty: the segments of a model, in program order: the step before its first layer call, each layer instance,
// the step between two calls and behind the last. Whatever is packed or moved together is of one segment, so
// that a cut between layers never changes it.
// A parameter of a layer is of its instance's segment. One of the step is of the segment in which the step
// first reads it; what is made of parameters alone (a turned weight, say) counts as read where something
// reads it, for a pass may move it there. The first step of the module that reads a parameter says so:
// training reads no running statistic, evaluation does. Threads, ownership: a value; it does not refer to the
// module.
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

  /// The place of a parameter's segment in the order of the program. Layers that no step calls come last, and
  /// parameters of the step that no step reads first.
  int64_t of(graph::StateOp parameter) const;

private:
  void walk(mlir::Block &forward);

  llvm::StringMap<int64_t> instances;  ///< in the order of their first calls, by layer
  llvm::StringMap<int64_t> callsAhead; ///< layer instances called before the first use, by parameter
};

} // namespace windlass::dist
