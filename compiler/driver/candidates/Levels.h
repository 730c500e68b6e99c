// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Levels.h - lowers modules from level to level =========================//
//
// Duty: runs the passes of each level on a module, turns diagnostics into Statuses, and writes numbered
// snapshots of the IR where a folder for them is named.
// Errors: Internal for a pass that fails or crashes. Where a file for it is named, the module and the passes
// are written there, and `windlass-opt FILE --run-reproducer` runs them again. Units: with a timing scope,
// the seconds of each level and pass are nested in it. Threads, ownership: as MLIR's; refers to its training
// options, machine and timing scope.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/Candidate.h"
#include "compiler/driver/facts/Facts.h"
#include "compiler/driver/facts/TensorLayout.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "model/Machine.h"
#include "passes/Graph/Pipeline.h"
#include "passes/Graph/recompute/RecomputeChoices.h"
#include "runtime/plan/Enums.h"

namespace windlass {

/// A module per stage of the pipeline, in their order.
using StageModules = std::vector<mlir::OwningOpRef<mlir::ModuleOp>>;
/// The same, with the layers of each, or of each part of the model where a stage has several; without layers
/// where there is no pipeline.
struct Stages {
  StageModules modules;
  std::vector<int64_t> layers;
};

/// Whether two modules have the same ops in the same order.
bool areSame(mlir::ModuleOp one, mlir::ModuleOp other);

class Levels {
public:
  Levels(const TrainingOptions &training, const model::Machine &machine, plan::Target target,
         std::string dumpFolder, std::string reproducer = "", mlir::TimingScope *timing = nullptr)
      : training(training), machine(machine), target(std::move(target)), dumpFolder(std::move(dumpFolder)),
        reproducer(std::move(reproducer)), timing(timing) {}

  /// How ranks share out the operations of an imported model. Refuses a parallel.tensor over which nothing of
  /// the model can be shared out.
  Result<TensorLayout> describeSplits(mlir::ModuleOp imported, const std::string &trainingFile);
  /// Refuses activations to keep that the layers of an imported model do not have: those of the training, or
  /// of a candidate. Other rows of ranks that share out operations make other activations.
  Status checkKept(mlir::ModuleOp imported);
  Status checkKept(mlir::ModuleOp imported, const Candidate &candidate);
  /// A copy of an imported model as one of `tensorRanks` ranks computes it, with the types of the training's
  /// precision.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> typed(mlir::ModuleOp imported, int64_t tensorRanks);
  /// Which rows tensor ranks divide.
  struct DividedRows {
    bool between = false;     ///< of something that is whole between the operations that ranks share out
    bool checkpoints = false; ///< of something that a layer gets from what is before it
  };
  Result<DividedRows> dividedRows(mlir::ModuleOp imported);
  /// A copy with gradients and without recomputation, as the pass `recompute` finds it.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> differentiated(mlir::ModuleOp imported, const Limits &limits);
  Result<mlir::OwningOpRef<mlir::ModuleOp>> differentiated(mlir::ModuleOp imported,
                                                           const Candidate &candidate);
  /// The recomputation problem of the layers of an imported model, cut by `limits`.
  Result<graph::RecomputeChoices> describeRecompute(mlir::ModuleOp imported, const Limits &limits);
  /// The graph level in two halves. The first builds gradients, leaves composites whole and erases values
  /// without users; the second builds the update.
  Status buildGradients(mlir::ModuleOp module, const Recompute &recompute);
  Status buildUpdate(mlir::ModuleOp module);
  /// From import to flow, where homes have no tier yet.
  Status lowerToFlow(mlir::ModuleOp module, const Candidate &candidate);
  /// The same, stage by stage of the pipeline.
  Result<Stages> lowerToStages(mlir::OwningOpRef<mlir::ModuleOp> module, const Candidate &candidate);
  /// lowerToFlow() in two halves: the graph level, which many candidates share; then dist and flow.
  Status lowerToGraph(mlir::ModuleOp module, const Candidate &candidate);
  Status lowerGraphToFlow(mlir::ModuleOp module, const Candidate &candidate);
  /// The modules of all stages of the pipeline; of one that has none, the module itself.
  Result<Stages> lowerGraphToStages(mlir::OwningOpRef<mlir::ModuleOp> module, const Candidate &candidate);
  /// Levels of other options, to which they refer, without snapshots and reproducers: for modules that are no
  /// candidates.
  Levels withoutFiles(const TrainingOptions &options) const {
    return {options, machine, target, /*dumpFolder=*/"", /*reproducer=*/"", timing};
  }
  /// From planned flow to plan.
  Status finish(mlir::ModuleOp module);

  Status snapshot(mlir::ModuleOp module, const std::string &phase);
  /// The scope of `what`; seconds count until it ends.
  mlir::TimingScope timed(llvm::StringRef what) const {
    return timing ? timing->nest(what) : mlir::TimingScope();
  }
  /// Runs `work`, and converts the diagnostics of the context to a Status.
  static Status diagnosed(mlir::MLIRContext *context, llvm::function_ref<mlir::LogicalResult()> work);

private:
  /// The purpose of a module. Most are made to be compared; MLIR verifies the operations of a module only if
  /// it is taken, on the way from flow to plan. With snapshots, and in builds with assertions, all modules
  /// are verified.
  enum class Made : uint8_t { ToCompare, ToTake };
#ifdef NDEBUG
  static constexpr bool kAsserts = false;
#else
  static constexpr bool kAsserts = true;
#endif

  /// Refuses decisions about buckets that the model does not have.
  Status checkBuckets(mlir::ModuleOp module, const Candidate &candidate);
  /// The buckets of a partitioned module that stay gathered from the forward to the backward pass.
  mlir::SmallVector<std::string> keptGathered(mlir::ModuleOp module, const Candidate &candidate) const;
  Status run(mlir::ModuleOp module, const std::string &phase, Made made,
             llvm::function_ref<void(mlir::OpPassManager &)> build);
  /// The type to compute in, as a word of pass options.
  std::string computeType() const { return std::string(plan::textOf(elementType(training.compute))); }
  /// The candidate that the training asks for; decisions that the graph level does not read are arbitrary.
  Candidate asked() const;
  void setGraphOptions(graph::GraphTrainOptions &options, const Recompute &recompute,
                       const Limits &limits) const;
  Status lowerGraphToDist(mlir::ModuleOp module, const Candidate &candidate);
  /// The layers of each stage of a dist module: those asked for, or the best cut.
  Result<std::vector<int64_t>> cutStages(mlir::ModuleOp module, int64_t layers);
  /// From shards and kernels to sections. `phase`: the name of the snapshot; `schedule`: the passes that make
  /// the schedule of a stage.
  Status lowerDistToFlow(mlir::ModuleOp module, const Candidate &candidate, const std::string &phase,
                         llvm::function_ref<void(mlir::OpPassManager &)> schedule);
  /// Adds the passes that have a stage of the pipeline run ahead of its backward passes.
  void scheduleStage(mlir::OpPassManager &manager, int64_t stage) const;
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
