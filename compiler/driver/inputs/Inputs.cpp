// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/inputs/Inputs.h"

#include "compiler/driver/inputs/CheckDecisions.h"
#include "compiler/driver/inputs/MeetingExamples.h"
#include "compiler/driver/inputs/Selection.h"
#include "compiler/driver/inputs/TrainingOver.h"
#include "compiler/import/DecayGroups.h"
#include "compiler/import/Freeze.h"
#include "compiler/import/Import.h"
#include "compiler/training/Strategy.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "dialects/Register.h"
#include "model/ChangeMachine.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Words.h"
#include "runtime/plan/file/Schema.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

/// Reads the decisions of strategy and command line over those of the training file.
Status readDecisions(const CompileRequest &request, TrainingOptions &training) {
  if (!request.strategy.empty()) {
    Result<Decisions> strategy = readStrategy(request.strategy, training);
    if (!strategy)
      return strategy.status();
    static_cast<Decisions &>(training) = *strategy;
  }
  training.overlap = request.overlap.value_or(training.overlap);
  if (request.prefetch)
    training.prefetchNc = training.prefetchCg = training.prefetchGg = ByStage{{*request.prefetch}};
  for (Gather gather : {Gather::Auto, Gather::Allgather, Gather::Broadcast})
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
  if (auto home = plan::fromText<plan::Tier>(request.checkpoints))
    training.checkpointHome = {home, {}};
  return Status::ok();
}

/// Sets the backend: that of the command line, else of the hardware file.
Status settleBackend(const CompileRequest &request, model::Machine &machine) {
  if (!request.backend.empty())
    machine.backend = request.backend;
  if (!plan::findDevice(machine.backend))
    return Status::badInput("backend '" + machine.backend + "' is unknown: plans are made for " +
                            plan::backendNames());
  return model::checkCores(machine, machine.backend).in(request.hardware);
}

/// The machine of the hardware file, with the changes of a what-if question, and with its own ranks.
Result<model::Machine> readMachine(const CompileRequest &request) {
  Result<model::Machine> machine = model::readMachine(request.hardware);
  if (machine && !request.whatIf.hardware.empty())
    machine = model::changeMachine(*machine, request.whatIf.hardware);
  return machine;
}

/// Sets an open number of stages to the machine's ranks over those of the other axes.
Status settleStages(const CompileRequest &request, const model::Machine &machine, TrainingOptions &training) {
  const int64_t stageRanks = training.dataRanks * training.tensorRanks;
  if (machine.ranks() % stageRanks != 0)
    return Status::badInput(request.training + ": parallel.pipeline: \"auto\" needs ranks of a stage, " +
                            "parallel.data x parallel.tensor, that divide the " +
                            std::to_string(machine.ranks()) + " ranks of " + request.hardware +
                            ", these are " + std::to_string(stageRanks));
  training.stages = machine.ranks() / stageRanks;
  training.stagesAreAuto = true;
  return Status::ok();
}

/// Sets the ranks and the batch of a what-if question; a rank does as much work in a step as the file says.
Status setBatch(const CompileRequest &request, TrainingOptions &training) {
  const WhatIf &asked = request.whatIf;
  if (asked.ranks % training.stages != 0)
    return Status::badInput(request.training + ": parallel.pipeline: must divide " +
                            counted(asked.ranks, "rank") + ", is " + std::to_string(training.stages));
  if (asked.ranks / training.stages % training.tensorRanks != 0)
    return Status::badInput(request.training + ": parallel.tensor: must divide " +
                            counted(asked.ranks / training.stages, "rank") + ", is " +
                            std::to_string(training.tensorRanks));
  if (asked.ranks > 0)
    training.dataRanks = asked.ranks / training.stages / training.tensorRanks;
  if (asked.microBatch > 0)
    training.microBatch = asked.microBatch;
  training.globalBatch = training.dataRanks * training.microBatches * training.microBatch;
  if (training.shardRanks != 0 && training.dataRanks % training.shardRanks != 0)
    return Status::badInput(request.training + ": parallel.shard: must divide " +
                            counted(training.dataRanks, "rank") + ", is " +
                            std::to_string(training.shardRanks));
  return Status::ok();
}

} // namespace

Result<Inputs> readInputs(const CompileRequest &request) {
  Result<TrainingOptions> training = readTraining(request);
  if (!training)
    return training.status();
  Result<model::Machine> machine = readMachine(request);
  if (training->stages == 0) {
    WINDLASS_TRY(machine.status());
    WINDLASS_TRY(settleStages(request, *machine, *training));
  }
  if (machine && request.whatIf.ranks > 0) // the question changes the number of data ranks
    machine = model::withRanks(*machine, request.whatIf.ranks);
  WINDLASS_TRY(setBatch(request, *training));
  WINDLASS_TRY(addSelection(request, *training));
  WINDLASS_TRY(readDecisions(request, *training));
  if (!request.isMeshOpen)
    WINDLASS_TRY(checkDecisions(*training, request.decisions()));
  WINDLASS_TRY(machine.status());
  WINDLASS_TRY(settleBackend(request, *machine));
  if (!plan::mayBeSummed(training->collectives, machine->backend))
    return Status::badInput(request.training + ": collectives: \"" +
                            std::string(word(training->collectives)) + "\" needs the backend cuda, not '" +
                            machine->backend + "'");
  machine->threadsPerRank = training->threadsPerRank;
  Result<plan::Target> target =
      plan::targetNamed(request.targetCpu.empty() ? widestTarget() : request.targetCpu);
  if (!target)
    return target.status();
  if (training->matmul == Multiplication::Reference)
    target = plan::multipliedByReference(target.take());
  else if (plan::findDevice(machine->backend)->hasOwnCode())
    target = plan::multipliedByCublasLt(target.take());
  return Inputs{training.take(), machine.take(), target.take()};
}

/// A proposal of data ranks that uses all ranks of the machine; empty if there is none.
static std::string allRanks(const TrainingOptions &training, const model::Machine &machine) {
  const int64_t share = training.tensorRanks * training.stages;
  if (machine.ranks() % share != 0)
    return "";
  return ": --parallel data=" + std::to_string(machine.ranks() / share) +
         (training.tensorRanks > 1 ? ",tensor=" + std::to_string(training.tensorRanks) : "") +
         (training.stages > 1 ? ",pipeline=" + std::to_string(training.stages) : "") + " takes them all";
}

Status checkRanks(const CompileRequest &request, const TrainingOptions &training,
                  const model::Machine &machine) {
  if (training.ranks() > plan::kMostRanks)
    return Status::badInput(request.training + ": asks for " + counted(training.ranks(), "rank") +
                            ", a plan has at most " + formatCount(plan::kMostRanks));
  if (machine.ranks() == training.ranks())
    return Status::ok();
  return Status::badInput(request.training + ": parallel.data " +
                          (training.tensorRanks > 1 ? "x parallel.tensor " : "") +
                          (training.stages > 1 ? "x parallel.pipeline asks for " : "asks for ") +
                          counted(training.ranks(), "rank") + ", " + request.hardware + " has " +
                          std::to_string(machine.ranks()) + allRanks(training, machine));
}

Status checkShards(const CompileRequest &request, const TrainingOptions &training, int64_t parameters) {
  const int64_t shards = training.shardRanks > 0 ? training.shardRanks : training.dataRanks;
  const bool areShared = training.zeroStage.others.value_or(1) > 0;
  if (!areShared || shards <= std::max<int64_t>(1, parameters))
    return Status::ok();
  return Status::badInput(request.training + ": parallel." + (training.shardRanks > 0 ? "shard" : "data") +
                          ": " + counted(shards, "rank") + " cannot share out the states of " +
                          counted(parameters, "parameter") + ": more shards than elements");
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
    const bool isAccount = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
    if (isWarning)
      warnings.push_back(diagnostic.str());
    else if (isAccount)
      request.account(diagnostic.str());
    return success(isWarning || isAccount);
  });
  auto module = importModel(context, request.model, training, request.onnx, request.weights);
  if (!module)
    return module;
  std::ranges::for_each(warnings, request.warn);
  const bool isLossSaid = std::ranges::any_of(
      warnings, [](const std::string &text) { return text.find(": the loss: ") != std::string::npos; });
  if (const std::string meeting = meetingOfExamples(context, request, training, **module, isLossSaid);
      !meeting.empty())
    request.warn(request.model + ": " + meeting);
  StateNames names;
  for (auto state : (*module)->getOps<graph::StateOp>())
    if (state.getRole() == graph::Role::Parameter)
      (graph::isStatistic(state) ? names.statistics : names.parameters).push_back(state.getOriginal().str());
  WINDLASS_TRY(checkSelection(request, training, names));
  WINDLASS_TRY(checkStatistics(**module).in(request.model));
  WINDLASS_TRY(freezeParameters(**module, training.freeze, training.trainable).in(request.model));
  Result<std::vector<std::string>> unreached = freezeUnreached(**module);
  WINDLASS_TRY(unreached.status().in(request.model));
  for (const std::string &name : *unreached)
    request.warn(request.model + ": parameter \"" + name +
                 "\" is not trained: the loss does not depend on it, or through detached values alone");
  WINDLASS_TRY(
      groupByDecay(**module, training.weightDecay).in(request.training + ": optimizer.weight_decay"));
  return module;
}

} // namespace windlass
