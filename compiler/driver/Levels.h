// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Levels.h - one level to the next ====================================//
//
// Duty: runs the passes of each level on a module, keeps diagnostics as Statuses,
// and writes numbered snapshots of the IR where asked.
// Errors: a pass that fails or crashes is our fault; what went into it and the passes are
// left in a file, if one is named, that `windlass-opt FILE --run-reproducer` runs again.
// Units: where a timing scope is given, seconds of each level and pass are nested in it.
// Threads, ownership: as MLIR's; refers to its training options, machine and timing scope.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Candidates.h"
#include "compiler/driver/Facts.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "model/Machine.h"
#include "passes/Graph/Pipeline.h"
#include "passes/Graph/recompute/RecomputeChoices.h"
#include "runtime/plan/Enums.h"

namespace windlass {

class Levels {
public:
  Levels(const TrainingOptions &training, const model::Machine &machine, plan::Target target,
         std::string dumpFolder, std::string reproducer = "", mlir::TimingScope *timing = nullptr)
      : training(training), machine(machine), target(std::move(target)), dumpFolder(std::move(dumpFolder)),
        reproducer(std::move(reproducer)), timing(timing) {}

  /// Refuses limits of tiles under which something of an imported model cannot be cut.
  Status checkTileLimit(mlir::ModuleOp imported, const std::string &trainingFile);
  /// The keys of such limits that are given though an imported model has nothing that they could cut.
  Result<std::vector<std::string>> idleTileLimits(mlir::ModuleOp imported);
  /// Refuses a tile.attention that is less than the smallest block of some attention.
  Status checkAttentionLimit(mlir::ModuleOp imported, const std::string &trainingFile);
  /// Refuses activations to keep that the layers of an imported model do not have.
  Status checkKept(mlir::ModuleOp imported, const Recompute &recompute);
  /// What the layers of an imported model may keep or repeat.
  Result<graph::RecomputeChoices> describeRecompute(mlir::ModuleOp imported);
  /// Limits of tiles to try where the training file's are not small enough, the largest first; those that cut
  /// parameters into more than `mostTiles` are left out.
  Result<std::vector<int64_t>> smallerTileLimits(mlir::ModuleOp imported, int64_t mostTiles);
  /// The same for blocks of attention's scores.
  std::vector<int64_t> smallerAttentionLimits(mlir::ModuleOp imported) const;
  /// The graph level in two halves, for who wants to see what lies between: gradients, with composites whole
  /// and what nobody reads gone; then the update.
  Status buildGradients(mlir::ModuleOp module, const Recompute &recompute);
  Status buildUpdate(mlir::ModuleOp module);
  /// Graph, dist, and down to flow, where nothing is placed yet.
  Status lowerToFlow(mlir::ModuleOp module, const Candidate &candidate);
  /// The same in two halves: the graph level, the same for many candidates; then the others.
  Status lowerToGraph(mlir::ModuleOp module, const Recompute &recompute, const Limits &limits);
  Status lowerGraphToFlow(mlir::ModuleOp module, const Candidate &candidate);
  /// Levels that leave no files: for modules that are no candidates.
  Levels withoutFiles() const {
    Levels other = *this;
    other.dumpFolder.clear();
    other.reproducer.clear();
    return other;
  }
  /// From planned flow to plan.
  Status finish(mlir::ModuleOp module);

  Status snapshot(mlir::ModuleOp module, const std::string &phase);
  /// Seconds from here until the scope's end are `what`'s.
  mlir::TimingScope timed(llvm::StringRef what) const {
    return timing ? timing->nest(what) : mlir::TimingScope();
  }
  /// Runs something that reports by diagnostics of a context; they become the Status.
  static Status diagnosed(mlir::MLIRContext *context, llvm::function_ref<mlir::LogicalResult()> work);

private:
  /// Refuses decisions about buckets that the model does not have.
  Status checkBuckets(mlir::ModuleOp module, const Candidate &candidate);
  /// Those of a partitioned module that stay gathered from the forward to the backward pass.
  mlir::SmallVector<std::string> keptBuckets(mlir::ModuleOp module, const Candidate &candidate) const;
  Status run(mlir::ModuleOp module, const std::string &phase,
             llvm::function_ref<void(mlir::OpPassManager &)> build);
  /// Types first, as in the graph pipeline: a limit counts bytes of what is computed with.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> typed(mlir::ModuleOp imported);
  /// As the pass recompute finds it.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> differentiated(mlir::ModuleOp imported);
  /// As the options of passes spell it.
  std::string computeType() const { return std::string(plan::textOf(elementType(training.compute))); }
  void setGraphOptions(graph::GraphTrainOptions &options, const Recompute &recompute,
                       const Limits &limits) const;
  /// Bytes of scratch that the module's matmuls need on the target.
  Result<int64_t> scratchBytes(mlir::ModuleOp module);

  const TrainingOptions &training;
  const model::Machine &machine;
  plan::Target target;
  std::string dumpFolder, reproducer;
  mlir::TimingScope *timing;
  int snapshots = 0;
};

} // namespace windlass
