// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/Levels.h"

#include "compiler/driver/candidates/StageCosts.h"
#include "compiler/driver/candidates/StageLags.h"
#include "compiler/emit/EmitKernels.h"
#include "dialects/Dist/IR/DistDialect.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Dist/Passes.h"
#include "passes/Dist/Pipeline.h"
#include "passes/Dist/ShardLayout.h"
#include "passes/Flow/Passes.h"
#include "passes/Flow/Pipeline.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Pipeline.h"
#include "passes/Graph/SplitPasses.h"
#include "passes/Graph/gradients/LayerCalls.h"
#include "passes/Graph/recompute/RecomputeChoices.h"
#include "passes/Graph/rows/OwnRows.h"
#include "passes/Plan/Passes.h"
#include "planning/StageCut/StageCutChecker.h"
#include "planning/StageCut/StageCutSolver.h"
#include "runtime/kernels/MatmulScratch.h"
#include "runtime/plan/Collectives.h"
#include "runtime/plan/Device.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>

using namespace mlir;

namespace windlass {

namespace {

/// A reproducer stream without a file.
struct NoFile : ReproducerStream {
  StringRef description() override { return "no file"; }
  llvm::raw_ostream &os() override { return llvm::nulls(); }
};

} // namespace

bool areSame(ModuleOp one, ModuleOp other) {
  return OperationEquivalence::isEquivalentTo(one, other, OperationEquivalence::IgnoreLocations);
}

Status Levels::diagnosed(MLIRContext *context, llvm::function_ref<LogicalResult()> work) {
  std::string messages;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      messages += (messages.empty() ? "" : "; ") + diagnostic.str();
    return success(diagnostic.getSeverity() == DiagnosticSeverity::Error);
  });
  if (succeeded(work()))
    return Status::ok();
  return Status::internal(messages.empty() ? "a pass failed without a message" : messages);
}

Status Levels::snapshot(ModuleOp module, const std::string &phase) {
  if (dumpFolder.empty())
    return Status::ok();
  if (std::error_code error = llvm::sys::fs::create_directories(dumpFolder))
    return Status::badInput(dumpFolder + ": cannot be made: " + error.message());
  char number[8];
  std::snprintf(number, sizeof number, "%02d-", snapshots++);
  std::string path = dumpFolder + "/" + number + phase + ".mlir";
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    return Status::badInput(path + ": cannot be written: " + error.message());
  module.print(file);
  file.close();
  const std::error_code failed = file.error();
  file.clear_error(); // or the stream ends the process
  return failed ? Status::badInput(path + ": cannot be written: " + failed.message()) : Status::ok();
}

Status Levels::run(ModuleOp module, const std::string &phase, Made made,
                   llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  build(manager);
  if (reproducer.empty()) // without files; a crash of a pass is still a failure
    manager.enableCrashReproducerGeneration(
        [](std::string &) -> std::unique_ptr<ReproducerStream> { return std::make_unique<NoFile>(); });
  else
    manager.enableCrashReproducerGeneration(reproducer);
  manager.enableVerifier(made == Made::ToTake || !dumpFolder.empty() || kAsserts);
  TimingScope scope = timed(phase);
  manager.enableTiming(scope);
  Status status = diagnosed(module.getContext(), [&] { return manager.run(module); }).in(phase);
  if (!status)
    return Status::internal(status.message() +
                            (reproducer.empty()
                                 ? "; with -o PLAN a file is left that windlass-opt runs again"
                                 : "; to see it again: windlass-opt " + reproducer + " --run-reproducer"));
  return snapshot(module, phase);
}

Result<int64_t> Levels::scratchBytes(ModuleOp module) {
  const auto inPages = [](int64_t bytes) { return (std::max<int64_t>(1, bytes) + 4095) / 4096 * 4096; };
  if (target.multipliesByReference())
    return inPages(0);
  if (target.scratch == plan::ScratchRule::Workspace)
    return inPages(training.matmulWorkspace.value_or(0));
  const plan::TargetRow *row = plan::findTarget(target.cpu);
  if (!row)
    return plan::targetNamed(target.cpu).status();
  int64_t most = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(dist::kKernelAttr) || !isa<graph::MatmulOp>(function.getBody().front().front()))
      continue;
    Result<plan::Kernel> kernel = emitKernel(function);
    if (!kernel)
      return kernel.status();
    most = std::max(most, matmulScratchBytes(kernel->matmul, training.threadsPerRank, *row));
  }
  return inPages(most);
}

Result<Levels::DividedRows> Levels::dividedRows(ModuleOp imported) {
  TrainingOptions ownRows = training;
  ownRows.sequenceParallel = true;
  Result<OwningOpRef<ModuleOp>> shared = withoutFiles(ownRows).typed(imported, training.tensorRanks);
  if (!shared)
    return shared.status();
  DividedRows rows;
  (*shared)->walk([&](graph::ReduceScatterOp) { rows.between = true; });
  (*shared)->walk([&](func::CallOp layer) {
    for (Value value : layer.getOperands())
      if (Operation *producer = value.getDefiningOp();
          producer && !isa<graph::ReadOp, graph::FeedOp>(producer))
        rows.checkpoints |= graph::rowForm(value, training.tensorRanks).has_value();
  });
  return rows;
}

Result<OwningOpRef<ModuleOp>> Levels::typed(ModuleOp imported, int64_t tensorRanks) {
  OwningOpRef<ModuleOp> module = imported.clone();
  PassManager manager(module->getContext());
  manager.addPass(graph::createPrecision({computeType()}));
  if (tensorRanks > 1) { // tiles are cut from a rank's part
    manager.addPass(graph::createParallelise({tensorRanks}));
    manager.addPass(graph::createSplitRows({!training.sequenceParallel.value_or(true)}));
  }
  WINDLASS_TRY(diagnosed(module->getContext(), [&] { return manager.run(*module); }));
  return module;
}

Result<TensorLayout> Levels::describeSplits(ModuleOp imported, const std::string &trainingFile) {
  if (training.tensorRanks == 1)
    return TensorLayout();
  OwningOpRef<ModuleOp> module = imported.clone();
  PassManager manager(module->getContext());
  manager.addPass(graph::createPrecision({computeType()}));
  WINDLASS_TRY(diagnosed(module->getContext(), [&] { return manager.run(*module); }));
  graph::SplitModel model(*module, training.tensorRanks);
  if (Status shared = model.run(); !shared)
    return Status::badInput(trainingFile + ": parallel.tensor: " + shared.message());
  return TensorLayout{model.layoutText(), model.replicatedWork()};
}

void Levels::setGraphOptions(graph::GraphTrainOptions &options, const Recompute &recompute,
                             const Limits &limits) const {
  options.compute = computeType();
  options.microBatches = training.microBatches;
  options.tileLimit = limits.tile.value_or(0);
  options.tileActivation = limits.activation.value_or(0);
  options.attentionLimit = limits.attention.value_or(0);
  options.recompute = recompute.kept.empty() ? word(Recompute(recompute.kind)) : "kept";
  for (const auto &[function, activations] : recompute.kept) {
    options.keep.push_back({function, ""}); // the function keeps nothing else
    for (const std::string &activation : activations)
      options.keep.push_back({function, activation});
  }
  options.every = recompute.every;
  options.layers = recompute.layers;
  options.beta1 = training.betas[0];
  options.beta2 = training.betas[1];
  options.epsilon = training.epsilon;
  options.weightDecay = training.weightDecay.matrices;
  options.clip = training.clip;
  options.ranks = training.dataRanks;
  options.tensor = training.tensorRanks;
  options.partitionCheckpoints = training.checkpointPartition.value_or(false);
  options.wholeRows = !training.sequenceParallel.value_or(true);
  options.keepInputs = !training.reshardActivations.value_or(true);
  for (const std::string &op : target.whole)
    options.whole.push_back(op);
}

/// Sets the options on the rows that a tensor-parallel rank computes.
static void setRows(graph::GraphTrainOptions &options, const Candidate &candidate) {
  options.wholeRows = candidate.wholeRows;
  options.keepInputs = candidate.keepsInputs;
}

Candidate Levels::asked() const {
  return makeCandidate(training.recompute, /*zero=*/3, /*prefetchReserve=*/true, /*size=*/{}, training,
                       machine);
}

Result<OwningOpRef<ModuleOp>> Levels::differentiated(ModuleOp imported, const Limits &limits) {
  Candidate candidate = asked();
  candidate.limits = limits;
  return differentiated(imported, candidate);
}

Result<OwningOpRef<ModuleOp>> Levels::differentiated(ModuleOp imported, const Candidate &candidate) {
  OwningOpRef<ModuleOp> module = imported.clone();
  PassManager manager(module->getContext());
  graph::GraphTrainOptions options;
  setGraphOptions(options, Recompute::None, candidate.limits);
  setRows(options, candidate);
  graph::buildGraphGradientPipeline(manager, options);
  WINDLASS_TRY(diagnosed(module->getContext(), [&] { return manager.run(*module); }));
  return module;
}

Status Levels::checkKept(ModuleOp imported, const Candidate &candidate) {
  if (candidate.recompute.kept.empty())
    return Status::ok();
  Result<OwningOpRef<ModuleOp>> module = differentiated(imported, candidate);
  if (!module)
    return module.status();
  auto train = (*module)->lookupSymbol<graph::StepOp>("train");
  return graph::findKept(graph::findLayers(train), candidate.recompute.kept).status().in("recompute");
}

Status Levels::checkKept(ModuleOp imported) { return checkKept(imported, asked()); }

Result<graph::RecomputeChoices> Levels::describeRecompute(ModuleOp imported, const Limits &limits) {
  Result<OwningOpRef<ModuleOp>> module = differentiated(imported, limits);
  if (!module)
    return module.status();
  return graph::describeRecompute(**module, machine);
}

Status Levels::buildGradients(ModuleOp module, const Recompute &recompute) {
  return run(module, "gradients", Made::ToTake, [&](OpPassManager &manager) {
    graph::GraphTrainOptions options;
    setGraphOptions(options, recompute, limitsOf(training));
    graph::buildGraphGradientPipeline(manager, options);
    manager.addPass(createCanonicalizerPass());
  });
}

Status Levels::buildUpdate(ModuleOp module) {
  return run(module, "graph", Made::ToTake, [&](OpPassManager &manager) {
    graph::GraphTrainOptions options;
    setGraphOptions(options, Recompute::None, limitsOf(training));
    graph::buildGraphUpdatePipeline(manager, options);
  });
}

Status Levels::checkBuckets(ModuleOp module, const Candidate &candidate) {
  const dist::ShardLayout layout = dist::layOutShards(module, {.ranks = training.dataRanks,
                                                               .zero = candidate.zero,
                                                               .replicas = training.replicas(),
                                                               .bucketBytes = candidate.bucketBytes});
  auto check = [&](const std::string &key, const auto &byBucket) {
    std::vector<std::string> named;
    for (const auto &[bucket, decision] : byBucket.of)
      named.push_back(bucket);
    return dist::checkBuckets(layout, key, named);
  };
  WINDLASS_TRY(check("zero_stage", training.zeroStage));
  return check("reshard_after_forward", training.reshardAfterForward);
}

SmallVector<std::string> Levels::keptGathered(ModuleOp module, const Candidate &candidate) const {
  SmallVector<std::string> kept;
  const bool keepsAll = llvm::is_contained(candidate.keptGathered, kEveryBucket);
  for (auto bucket : module.getOps<dist::BucketOp>()) {
    const std::string name = bucket.getSymName().str();
    if (bucket.isSharded(graph::Role::Parameter) &&
        !training.reshardAfterForward.at(name).value_or(!keepsAll &&
                                                        !llvm::is_contained(candidate.keptGathered, name)))
      kept.push_back(name);
  }
  return kept;
}

Status Levels::lowerToFlow(ModuleOp module, const Candidate &candidate) {
  WINDLASS_TRY(lowerToGraph(module, candidate));
  return lowerGraphToFlow(module, candidate);
}

Result<Stages> Levels::lowerToStages(OwningOpRef<ModuleOp> module, const Candidate &candidate) {
  WINDLASS_TRY(lowerToGraph(*module, candidate));
  return lowerGraphToStages(std::move(module), candidate);
}

Status Levels::lowerToGraph(ModuleOp module, const Candidate &candidate) {
  snapshots = 1; // after the import: the snapshots that stay are those of the candidate taken
  return run(module, "graph", Made::ToCompare, [&](OpPassManager &manager) {
    graph::GraphTrainOptions options;
    setGraphOptions(options, candidate.recompute, candidate.limits);
    setRows(options, candidate);
    options.partitionCheckpoints = candidate.partsCheckpoints;
    graph::buildGraphTrainPipeline(manager, options);
  });
}

Status Levels::lowerGraphToFlow(ModuleOp module, const Candidate &candidate) {
  WINDLASS_TRY(lowerGraphToDist(module, candidate));
  return lowerDistToFlow(module, candidate, "flow", [](OpPassManager &) {});
}

Result<Stages> Levels::lowerGraphToStages(OwningOpRef<ModuleOp> module, const Candidate &candidate) {
  Stages stages;
  if (training.stages == 1) {
    WINDLASS_TRY(lowerGraphToFlow(*module, candidate));
    stages.modules.push_back(std::move(module));
    return stages;
  }
  auto layers = (*module)->getAttrOfType<IntegerAttr>(graph::kLayers);
  WINDLASS_TRY(checkStages(training, layers ? layers.getInt() : 0));
  WINDLASS_TRY(lowerGraphToDist(*module, candidate));
  Result<std::vector<int64_t>> cut = cutStages(*module, layers.getInt());
  if (!cut)
    return cut.status();
  stages.layers = cut.take();
  WINDLASS_TRY(run(*module, "stages", Made::ToCompare, [&](OpPassManager &manager) {
    manager.addPass(dist::createAssignStages({llvm::to_vector(stages.layers)}));
  }));
  for (int64_t stage = 0; stage < training.stages; ++stage) {
    OwningOpRef<ModuleOp> own = module->clone();
    const std::string number = "-" + std::to_string(stage);
    WINDLASS_TRY(run(*own, "dist" + number, Made::ToCompare, [&](OpPassManager &manager) {
      manager.addPass(dist::createExtractStage({stage, training.stages, chunksOf(training)}));
      manager.addPass(createSymbolDCEPass());
      manager.addPass(dist::createVerifyDist());
    }));
    WINDLASS_TRY(lowerDistToFlow(*own, candidate, "flow" + number,
                                 [&](OpPassManager &manager) { scheduleStage(manager, stage); }));
    stages.modules.push_back(std::move(own));
  }
  return stages;
}

void Levels::scheduleStage(OpPassManager &manager, int64_t stage) const {
  const int64_t alignment = plan::findDevice(machine.backend)->alignment, chunks = chunksOf(training);
  if (chunks > 1)
    return manager.addPass(flow::createInterleaveChunks({stage, training.stages, chunks, alignment}));
  const std::vector<StageLag> lags = stageLags(training);
  const StageLag lag = lags[stage], next = stage + 1 < training.stages ? lags[stage + 1] : StageLag();
  if (lag.weights > lag.backward)
    manager.addPass(flow::createSplitBackward());
  if (training.microBatches > 1)
    manager.addPass(flow::createDelayBackward({lag.backward, next.backward, lag.weights, alignment}));
}

/// Refuses a cut of the user between layers that are joined.
static Status checkPartsNone(const planning::StageCutProblem &problem, ArrayRef<int64_t> cut) {
  int64_t behind = 0;
  for (auto [stage, count] : llvm::enumerate(cut.drop_back())) {
    behind += count;
    if (problem.layers[behind - 1].joined)
      return Status::badInput(
          "pipeline.cut: stage " + std::to_string(stage) + " ends with layer " + std::to_string(behind - 1) +
          ", which stays with layer " + std::to_string(behind) +
          ": recompute repeats both together, or its gradients need what later layers make");
  }
  return Status::ok();
}

Result<std::vector<int64_t>> Levels::cutStages(ModuleOp module, int64_t layers) {
  OwningOpRef<ModuleOp> apart = module.clone();
  PassManager manager(module.getContext());
  manager.addPass(dist::createAssignStages({SmallVector<int64_t>(layers, 1)}));
  WINDLASS_TRY(diagnosed(module.getContext(), [&] { return manager.run(*apart); }));
  planning::StageCutProblem problem = describeStageCut(*apart, slotsOfParts(training), machine);
  problem.capacity /= chunksOf(training); // parts of one stage share it
  if (!training.pipelineCut.empty()) {
    WINDLASS_TRY(checkPartsNone(problem, training.pipelineCut));
    return training.pipelineCut;
  }
  Result<planning::StageCutSolution> cut = planning::solveStageCut(problem);
  if (!cut && cut.status().code() == ExitCode::CannotFit) { // planning of memory then reports what is short
    problem.capacity = INT64_MAX;
    cut = planning::solveStageCut(problem);
  }
  if (!cut)
    return cut.status();
  WINDLASS_TRY(planning::checkStageCut(problem, *cut));
  return std::move(cut->layers);
}

Status Levels::lowerGraphToDist(ModuleOp module, const Candidate &candidate) {
  snapshots = 2;
  WINDLASS_TRY(checkBuckets(module, candidate));
  return run(module, "dist", Made::ToCompare, [&](OpPassManager &manager) {
    dist::DistTrainOptions options;
    options.ranks = training.dataRanks;
    options.replicas = training.replicas();
    options.finer = training.optimizerShard == OptimizerShard::All;
    options.zero = candidate.zero;
    for (const auto &[bucket, zero] : training.zeroStage.of)
      if (zero)
        options.zeroOf.push_back({bucket, *zero});
    options.persistence = candidate.persistence;
    options.bucketBytes = candidate.bucketBytes;
    options.owned = training.gather == Gather::Broadcast;
    options.staged = training.stages > 1;
    options.allReduce = training.reduction == Reduction::All;
    if (!target.multipliesByReference())
      options.rowAlignment = plan::findDevice(machine.backend)->rowAlignment;
    options.reducePerStep = training.cadence == Cadence::Step;
    dist::buildDistTrainPipeline(manager, options);
    if (machine.fusedAttention)
      manager.addPass(dist::createKeepScoresOnChip());
  });
}

Status Levels::lowerDistToFlow(ModuleOp module, const Candidate &candidate, const std::string &phase,
                               llvm::function_ref<void(OpPassManager &)> schedule) {
  Result<int64_t> scratch = scratchBytes(module);
  if (!scratch)
    return scratch.status();
  const plan::DeviceRow &device = *plan::findDevice(machine.backend);
  const bool sumsInPhases = device.hasOwnCode() || training.threadsPerRank > 1;
  return run(module, phase, Made::ToCompare, [&](OpPassManager &manager) {
    manager.addPass(flow::createLowerToFlow({*scratch, candidate.order == MicroBatchOrder::Vertical,
                                             keptGathered(module, candidate), sumsInPhases,
                                             plan::mostStagingBytes(training.collectives, device)}));
    schedule(manager);
  });
}

Status Levels::finish(ModuleOp module) {
  WINDLASS_TRY(run(module, "planned", Made::ToTake, flow::buildFlowWaitsPipeline));
  return run(module, "plan", Made::ToTake, [&](OpPassManager &manager) {
    manager.addPass(plandialect::createLowerToPlan());
    manager.addPass(plandialect::createVerifyPlan());
  });
}

} // namespace windlass
