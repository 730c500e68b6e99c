#include "compiler/driver/Inputs.h"

#include "compiler/driver/Candidates.h"
#include "compiler/driver/Selection.h"
#include "compiler/import/Freeze.h"
#include "compiler/import/Import.h"
#include "compiler/import/Strategy.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Register.h"
#include "runtime/base/Counted.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

constexpr int64_t kMostInTurn = 64;

/// What the command line says of decisions stands above the training file.
Status readDecisions(const CompileRequest &request, TrainingOptions &training) {
  if (!request.strategy.empty()) {
    Result<Decisions> strategy = readStrategy(request.strategy);
    if (!strategy)
      return strategy.status();
    static_cast<Decisions &>(training) = *strategy;
  }
  training.overlap = request.overlap.value_or(training.overlap);
  if (request.prefetch)
    training.prefetchNc = training.prefetchCg = training.prefetchGg = request.prefetch;
  for (Gather gather : {Gather::Allgather, Gather::Broadcast})
    if (word(gather) == request.gather)
      training.gather = gather;
  for (Reduction reduction : {Reduction::Scatter, Reduction::All})
    if (word(reduction) == request.reduce)
      training.reduction = reduction;
  for (MicroBatchOrder order :
       {MicroBatchOrder::Auto, MicroBatchOrder::Horizontal, MicroBatchOrder::Vertical})
    if (word(order) == request.microBatchOrder)
      training.microBatchOrder = order;
  if (!request.recompute.empty()) {
    Result<Recompute> recompute = readRecompute(request.recompute);
    if (!recompute)
      return recompute.status();
    training.recompute = recompute.take();
  }
  for (Home home : {Home::Device, Home::Host, Home::Nvme})
    if (word(home) == request.checkpoints)
      training.checkpointHome = {home, {}};
  return Status::ok();
}

/// What is only said of one stage asks for it: of some bucket, or of all.
Status checkStage(const TrainingOptions &training, const std::string &file) {
  std::vector<std::optional<int64_t>> given = {training.zeroStage.others};
  for (const auto &[bucket, stage] : training.zeroStage.of)
    given.push_back(stage);
  auto fits = [](auto allowed) {
    return [allowed](std::optional<int64_t> stage) { return !stage || allowed(*stage); };
  };
  auto needs = [&](const std::string &what, const std::string &stages, bool holds) {
    const auto stated = std::ranges::find_if(given, [](const auto &stage) { return stage.has_value(); });
    return holds ? Status::ok()
                 : Status::badInput(file + ": " + what + " needs zero_stage " + stages + ", not " +
                                    std::to_string(**stated));
  };
  if (training.gather == Gather::Broadcast && training.replicas() > 1)
    return Status::badInput(file +
                            ": gather \"broadcast\" needs parallel.shard \"auto\" (an owner is one of all "
                            "ranks), not " +
                            std::to_string(training.shardRanks));
  if (training.gather == Gather::Broadcast)
    WINDLASS_TRY(needs("gather \"broadcast\"", "3",
                       std::ranges::any_of(given, fits([](int64_t stage) { return stage == 3; }))));
  if (training.reduction == Reduction::All)
    WINDLASS_TRY(needs("reduce \"all\"", "1",
                       std::ranges::any_of(given, fits([](int64_t stage) { return stage == 1; }))));
  if (training.cadence == Cadence::Step)
    for (std::optional<int64_t> stage : given)
      if (stage.value_or(0) > 1)
        return Status::badInput(file + ": cadence \"step\" needs zero_stage 0 or 1, not " +
                                std::to_string(*stage));
  if (!training.zeroStage.others && training.gather == Gather::Broadcast &&
      (training.reduction == Reduction::All || training.cadence == Cadence::Step))
    return Status::badInput(
        file + ": gather \"broadcast\" needs zero_stage 3, " +
        (training.cadence == Cadence::Step ? "cadence \"step\" 0 or 1" : "reduce \"all\" 1"));
  return Status::ok();
}

/// What is repeated at most in part of a layer leaves no activation checkpoint that could rest anywhere.
Status checkCheckpoints(const TrainingOptions &training, const std::string &file) {
  const Home home = homeThatAsksForCheckpoints(training);
  const bool makesNone = training.recompute == Recompute::None || training.recompute == Recompute::Selective;
  if (home == Home::Auto || !makesNone)
    return Status::ok();
  return Status::badInput(file + ": recompute \"" + word(training.recompute) +
                          "\" makes no activation checkpoints, but placement.checkpoint asks for them on \"" +
                          std::string(word(home)) + "\": leave one of the two out");
}

/// A plan has every micro-batch that takes turns with others written out.
Status checkMicroBatches(const TrainingOptions &training, const std::string &file) {
  if (training.microBatchOrder != MicroBatchOrder::Vertical || training.microBatches <= kMostInTurn)
    return Status::ok();
  return Status::badInput(file + ": micro_batch_order \"vertical\" needs micro_batches of at most " +
                          std::to_string(kMostInTurn) + ", not " + std::to_string(training.microBatches));
}

} // namespace

Result<Inputs> readInputs(const CompileRequest &request) {
  Result<TrainingOptions> training = readTrainingFile(request.training);
  if (!training)
    return training.status();
  WINDLASS_TRY(addSelection(request, *training));
  WINDLASS_TRY(readDecisions(request, *training));
  WINDLASS_TRY(checkStage(*training, request.training));
  WINDLASS_TRY(checkMicroBatches(*training, request.training));
  WINDLASS_TRY(checkCheckpoints(*training, request.training));
  Result<model::Machine> machine = model::readMachine(request.hardware);
  if (!machine)
    return machine.status();
  machine->threadsPerRank = training->threadsPerRank;
  return Inputs{training.take(), machine.take()};
}

Status checkRanks(const CompileRequest &request, const TrainingOptions &training,
                  const model::Machine &machine) {
  if (machine.ranks() == training.dataRanks)
    return Status::ok();
  return Status::badInput(request.training + ": parallel.data asks for " +
                          counted(training.dataRanks, "rank") + ", " + request.hardware + " has " +
                          std::to_string(machine.ranks()));
}

Result<OwningOpRef<ModuleOp>> importInputs(MLIRContext &context, const CompileRequest &request,
                                           const TrainingOptions &training) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.disableMultithreading();
  request.progress("importing " + request.model);
  std::vector<std::string> warnings;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    const bool isWarning = diagnostic.getSeverity() == DiagnosticSeverity::Warning;
    if (isWarning)
      warnings.push_back(diagnostic.str());
    return success(isWarning);
  });
  auto module = importModel(context, request.model, training, request.onnx, request.weights);
  if (!module)
    return module;
  std::ranges::for_each(warnings, request.warn);
  std::vector<std::string> parameters;
  for (auto state : (*module)->getOps<graph::StateOp>())
    if (state.getRole() == graph::Role::Parameter)
      parameters.push_back(state.getOriginal().str());
  WINDLASS_TRY(checkSelection(request, training, parameters));
  WINDLASS_TRY(freezeParameters(**module, training.freeze, training.trainable).in(request.model));
  return module;
}

} // namespace windlass
