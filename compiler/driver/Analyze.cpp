// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Analyze.h"

#include "compiler/driver/candidates/StageLags.h"
#include "compiler/driver/candidates/TileBounds.h"
#include "compiler/driver/facts/Facts.h"
#include "compiler/driver/inputs/Inputs.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "model/Formulas/ActivationMemory.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace windlass {
namespace {

Status checkOptions(const analysis::Analysis &analysis, const std::string &model) {
  const analysis::Options &options = analysis.options;
  if (!model::mixedPrecisionStates(options.bytesPerParameter))
    return Status::badInput("bytes per parameter: must be 16, 18 or 20, is " +
                            std::to_string(options.bytesPerParameter));
  if (options.checkpointEvery < 1 || options.checkpointEvery > std::max<int64_t>(analysis.layers, 1))
    return Status::badInput(model + ": layers a checkpoint: must be 1 to " + std::to_string(analysis.layers) +
                            ", the layers of the model, is " + std::to_string(options.checkpointEvery));
  return Status::ok();
}

void addTraining(analysis::Analysis &analysis, const TrainingOptions &training) {
  analysis.compute = elementType(training.compute);
  analysis.microBatches = training.microBatches;
  analysis.tensorRanks = training.tensorRanks;
  analysis.stages = training.stages;
  analysis.ownRows = training.tensorRanks > 1 && training.sequenceParallel.value_or(true);
  analysis.partitionsCheckpoints = analysis.ownRows || training.checkpointPartition.value_or(true);
  analysis.groupRanks = training.replicas() > 1 ? training.shardRanks : 0;
  analysis.sharesRest = training.optimizerShard == OptimizerShard::All;
}

/// Counts, for every way in which tensor ranks exchange activations, the exchanged elements and the bytes
/// that a layer keeps.
Status countExchanges(ModuleOp imported, const Inputs &inputs, analysis::Analysis &analysis) {
  for (const model::ExchangeWay &way : {model::ExchangeWay{},
                                        {true, true, false},
                                        {true, false, false},
                                        {false, false, true},
                                        {true, true, true},
                                        {true, false, true}}) {
    TrainingOptions training = inputs.training;
    training.sequenceParallel = way.sequenceParallel;
    training.reshardActivations = !way.keepsGathered;
    training.checkpointPartition = false;
    OwningOpRef<ModuleOp> module = imported.clone();
    WINDLASS_TRY(Levels(training, inputs.machine, inputs.target, "")
                     .buildGradients(*module, way.repeatsLayer ? Recompute::Full : Recompute::None));
    analysis.exchanges.push_back(
        {way, analysis::countExchanges(*module), analysis::countKept(*module).largestLayer});
  }
  return Status::ok();
}

/// Adds the layers held by the first stage, for every schedule that the training's micro-batches and layers
/// allow.
void addFirstStage(analysis::Analysis &analysis, TrainingOptions training) {
  if (training.stages == 1 || training.microBatches < training.stages)
    return;
  const auto layers = static_cast<double>(analysis.layers), stages = static_cast<double>(training.stages);
  training.pipelineCut.clear();
  training.pipelineLag.clear();
  training.pipelineChunks.reset();
  for (PipelineSchedule schedule : {PipelineSchedule::Gpipe, PipelineSchedule::OneForwardOneBackward,
                                    PipelineSchedule::Interleaved, PipelineSchedule::ZeroBubbleH1}) {
    training.pipelineSchedule = schedule;
    if (!checkStages(training, analysis.layers))
      continue;
    const int64_t chunks = chunksOf(training);
    const std::vector<int64_t> slots = slotsOfParts(training);
    double counted = 0;
    for (size_t part = 0; part < slots.size(); part += static_cast<size_t>(training.stages))
      counted += static_cast<double>(slots[part]) * layers / static_cast<double>(slots.size());
    const bool isGpipe = schedule == PipelineSchedule::Gpipe;
    analysis.firstStage.push_back({std::string(word(schedule)),
                                   isGpipe      ? "m L/p"
                                   : chunks > 1 ? "L (1 + (p - 1)/(p v))"
                                                : "L",
                                   isGpipe ? static_cast<double>(training.microBatches) * layers / stages
                                           : model::layersHeldByFirstStage(layers, training.stages, chunks),
                                   counted});
  }
}

} // namespace

Result<analysis::Analysis> analyze(const CompileRequest &request, const analysis::Options &options) {
  Result<Inputs> inputs = readInputs(request);
  if (!inputs)
    return inputs.status();
  MLIRContext context;
  Result<OwningOpRef<ModuleOp>> imported = importInputs(context, request, inputs->training);
  if (!imported)
    return imported.status();
  WINDLASS_TRY(checkRanks(request, inputs->training, inputs->machine));
  ModuleOp model = **imported;

  analysis::Analysis analysis;
  if (auto name = model->getAttrOfType<StringAttr>(graph::kModelName))
    analysis.name = name.str();
  if (auto layers = model->getAttrOfType<IntegerAttr>(graph::kLayers))
    analysis.layers = layers.getInt();
  analysis.options = options;
  analysis.machine = inputs->machine;
  addTraining(analysis, inputs->training);
  addFirstStage(analysis, inputs->training);
  analysis.parameters = analysis::countParameters(model);
  analysis.transformer = analysis::findTransformer(model);
  WINDLASS_TRY(checkOptions(analysis, request.model));

  request.progress("building the training step");
  Levels levels(inputs->training, inputs->machine, inputs->target, "");
  WINDLASS_TRY(levels.describeSplits(model, request.training).status());
  WINDLASS_TRY(levels.snapshot(model, "import"));
  WINDLASS_TRY(TileBounds(levels, inputs->training).check(model, request.training));
  if (inputs->training.tensorRanks > 1)
    WINDLASS_TRY(countExchanges(model, *inputs, analysis));
  OwningOpRef<ModuleOp> whole = model.clone();
  WINDLASS_TRY(levels.buildGradients(*whole, Recompute::None));
  analysis.kept = analysis::countKept(*whole);
  WINDLASS_TRY(levels.buildGradients(model, {Recompute::Full, options.checkpointEvery}));
  analysis.checkpoints = analysis::countKept(model);
  analysis.linear = analysis::countMatmuls(model);
  WINDLASS_TRY(levels.buildUpdate(model));
  analysis.all = analysis::countMatmuls(model);
  analysis.states = analysis::countStates(model);
  return analysis;
}

Result<analysis::Analysis> analyzeParameters(double parameters, const CompileRequest &request,
                                             const analysis::Options &options) {
  analysis::Analysis analysis;
  analysis.name = "any";
  analysis.options = options;
  analysis.isCounted = false;
  analysis.parameters.matrices = std::llround(parameters);
  Result<model::Machine> machine = model::readMachine(request.hardware);
  if (!machine)
    return machine.status();
  analysis.machine = machine.take();
  if (!request.training.empty()) {
    Result<Inputs> inputs = readInputs(request);
    if (!inputs)
      return inputs.status();
    WINDLASS_TRY(checkRanks(request, inputs->training, inputs->machine));
    addTraining(analysis, inputs->training);
  }
  return analysis;
}

} // namespace windlass
