//===- Facts.h - what a plan says beside its instructions ==================//
//
// Duty: the parts of a plan that come from the training file and the imported
// model: inputs, training facts, the numerics record, the strategy.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/TrainingFile.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

namespace windlass {

/// One way to compile: what the driver tries in turn.
struct Candidate {
  std::string recompute; ///< "none" | "full"
  int64_t stage = 3;
  int64_t bucketBytes = 0, chunkElements = 0, credits = 2;
  bool prefetchRoom = true; ///< keep memory for what is fetched ahead
};

/// Model name, parameter count, layers, inputs: from the module as imported.
Status describeModel(mlir::ModuleOp imported, plan::Plan &plan);
/// Mesh, training facts and the numerics record.
void describeTraining(const TrainingOptions &training, const std::string &targetCpu, plan::Plan &plan);
/// The decisions of a plan whose buffers are emitted.
void describeStrategy(const TrainingOptions &training, const Candidate &candidate, plan::Plan &plan);

} // namespace windlass
