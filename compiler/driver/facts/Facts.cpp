// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/facts/Facts.h"

#include "compiler/codegen/Codegen.h"
#include "compiler/driver/facts/PaddedExamples.h"
#include "compiler/emit/EmitKernels.h"
#include "compiler/import/graphjson/LossShares.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "passes/Dist/ShardLayout.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Reasons.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

using namespace mlir;
using nlohmann::json;

namespace windlass {

Status describeModel(ModuleOp imported, plan::Plan &plan) {
  auto text = [&](StringRef name) {
    auto attr = imported->getAttrOfType<StringAttr>(name);
    return attr ? attr.str() : std::string();
  };
  auto number = [&](StringRef name) {
    auto attr = imported->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  };
  plan.model = text(graph::kModelName);
  plan.modelConfig = text(graph::kModelConfig);
  plan.layers = number(graph::kLayers);
  plan.distinctLayers = number(graph::kDistinctLayers);
  for (auto state : imported.getOps<graph::StateOp>())
    if (state.getRole() == graph::Role::Parameter && !graph::isStatistic(state))
      plan.parameters += cast<RankedTensorType>(state.getType()).getNumElements();
  if (auto files = imported->getAttrOfType<ArrayAttr>(graph::kWeights))
    for (auto file : files.getAsRange<DictionaryAttr>())
      plan.weights.push_back({file.getAs<StringAttr>("path").str(), file.getAs<IntegerAttr>("bytes").getInt(),
                              file.getAs<StringAttr>("hash").str()});
  auto evaluate = imported.lookupSymbol<graph::StepOp>("evaluate");
  if (!evaluate)
    return Status::badInput("the model has no loss to train on");
  for (auto read : evaluate.getBody().front().getOps<graph::ReadOp>())
    if (auto state = imported.lookupSymbol<graph::StateOp>(read.getState());
        state.getRole() == graph::Role::Parameter && !graph::isStatistic(state) &&
        read.getResult().hasNUsesOrMore(2))
      plan.ties.push_back(state.getOriginal().str());
  for (auto feed : evaluate.getBody().front().getOps<graph::FeedOp>()) {
    if (!feed.getInputRole())
      continue; // a number that the training loop knows
    plan::Input input;
    auto type = cast<RankedTensorType>(feed.getValue().getType());
    Result<plan::ElementType> element = elementType(type.getElementType());
    if (!element)
      return element.status();
    input.name = feed.getItem().str();
    input.type = *element;
    input.shape = type.getShape().vec();
    input.role = *feed.getInputRole();
    input.bound = feed.getBound();
    if (auto ignored = feed->getAttrOfType<IntegerAttr>(graph::kIgnored))
      input.ignored = ignored.getInt();
    if (auto first = feed->getAttrOfType<IntegerAttr>(graph::kFirst))
      input.first = first.getInt();
    plan.inputs.push_back(std::move(input));
  }
  for (LossShare &share : lossShares(evaluate))
    plan.lossShares.push_back({std::move(share.item), *plan::fromText<plan::MeanOf>(share.of),
                               std::move(share.input), share.ignored, std::move(share.classWeights),
                               share.first});
  plan.paddingCounts = paddingMayCount(evaluate);
  return Status::ok();
}

int64_t trainedParameters(ModuleOp imported) {
  int64_t elements = 0;
  for (auto state : imported.getOps<graph::StateOp>())
    if (state.getRole() == graph::Role::Parameter && state.getGroup() != graph::kFrozenGroup &&
        !graph::isStatistic(state))
      elements += cast<RankedTensorType>(state.getType()).getNumElements();
  return elements;
}

plan::ElementType elementType(Precision precision) {
  switch (precision) {
  case Precision::Fp32:
    return plan::ElementType::F32;
  case Precision::Bf16:
    return plan::ElementType::BF16;
  case Precision::Fp16:
    return plan::ElementType::F16;
  }
  return plan::ElementType::F32;
}

std::optional<plan::Reason> reasonOfCadence(const TrainingOptions &training, int64_t trained) {
  if (training.dataRanks == 1 || training.microBatches == 1)
    return std::nullopt;
  // A sum over micro-batches is in f32, and every rank has the whole sum until the reduction.
  const int64_t own = trained / (training.tensorRanks * training.stages); // elements of a rank, about
  const double whole = static_cast<double>(4 * own), sums = static_cast<double>(training.microBatches),
               each = sums * static_cast<double>(own * plan::bytesOf(elementType(training.compute)));
  const auto summing = [](const char *value, double times, double bytes) {
    plan::Trial trial{.value = value, .outcome = plan::Outcome::OtherBits};
    trial.figures = {{plan::Figure::Sums, times}, {plan::Figure::SummedBytes, bytes}};
    return trial;
  };
  plan::Reason reason{.decision = plan::Decision::Cadence, .basis = plan::Basis::Asked};
  reason.figures = {{plan::Figure::HeldBytes, whole}};
  reason.trials.push_back(summing("micro_batch", sums, each));
  reason.trials.push_back(summing("step", 1, whole));
  plan::Trial &taken = reason.trials[training.cadence == Cadence::MicroBatch ? 0 : 1];
  taken.outcome = plan::Outcome::Taken;
  reason.taken = taken.value;
  return reason;
}

/// The tokens of a sequence; 0 where the model reads none. Beside inputs of other shapes, the sequence that
/// is asked for counts, and else an input with one number for each token.
static int64_t tokensOfSequence(const std::vector<plan::Input> &inputs, int64_t asked) {
  int64_t tokens = 0, others = 0;
  for (const plan::Input &input : inputs) {
    if (input.role != plan::InputRole::Tokens || input.shape.size() < 2)
      continue;
    if (asked > 0 && std::ranges::count(input.shape | std::views::drop(1), asked) > 0)
      return asked;
    int64_t &found = input.shape.size() == 2 ? tokens : others;
    found = found == 0 ? input.shape.back() : found;
  }
  return tokens > 0 ? tokens : others;
}

void describeTraining(const TrainingOptions &training, const plan::Target &target,
                      const plan::DeviceRow &device, const std::string &tensorLayout, plan::Plan &plan) {
  plan.mesh = dist::meshAxes(training.dataRanks, training.replicas(), training.tensorRanks);
  if (training.stages > 1)
    plan.mesh.insert(plan.mesh.begin(), {"pp", training.stages, plan::AxisKind::Pipeline});
  plan.backend = device.backend;
  plan.target = target;
  plan::Training &facts = plan.training;
  facts.steps = training.steps;
  facts.microBatches = training.microBatches;
  facts.globalBatch = training.globalBatch;
  facts.sequence = tokensOfSequence(plan.inputs, training.sequence);
  facts.seed = training.seed;
  facts.schedule = word(training.schedule);
  facts.learningRate = training.learningRate;
  facts.minLearningRateRatio = training.minRatio;
  facts.warmup = training.warmup;
  facts.beta1 = training.betas[0];
  facts.beta2 = training.betas[1];
  // The training loop does not use it; a resumed run compares it with that of the checkpoint.
  facts.optimizer = json{{"epsilon", training.epsilon}, {"weight_decay", training.weightDecay}}.dump();
  facts.clip = training.clip;
  facts.validationFraction = training.validationFraction;
  facts.validationEvery = training.validationEvery;
  facts.checkpointEvery = training.checkpointEvery;
  facts.checkpointKeep = training.checkpointKeep;
  facts.threadsPerRank = training.threadsPerRank;
  facts.shuffle = training.shuffle;
  if (training.compute == Precision::Fp16)
    facts.lossScale = training.lossScale ? plan::LossScale{*training.lossScale, 0, *training.lossScale}
                                         : plan::LossScale{training.initialLossScale,
                                                           training.lossScaleWindow, training.minLossScale};
  auto bytesOrNull = [](std::optional<int64_t> bytes) { return bytes ? json(*bytes) : json(nullptr); };
  // Everything that may change a bit of a loss, and nothing else.
  json record = {{"dp", training.dataRanks},
                 {"tp", training.tensorRanks},
                 {"pp", 1},
                 {"micro_batches", training.microBatches},
                 {"micro_batch", training.microBatch},
                 {"compute", word(training.compute)},
                 {"gradient_type", word(training.compute)},
                 {"accumulation_type", "fp32"},
                 {"cadence", word(training.cadence)},
                 {"kernel_order", codegen::kKernelOrder},
                 {"norm_order", "segments"}, // passes/Dist/ShardLayout.h
                 {"tile_limit", bytesOrNull(training.tileLimit)},
                 {"tile_activation", bytesOrNull(training.tileActivation)},
                 {"attention_blocking", bytesOrNull(training.attentionLimit)},
                 {"dropout", training.dropout == Dropout::Keep ? json("philox4x32-10") : json(nullptr)},
                 {"target_cpu", target.cpu},
                 {"threads_per_rank", training.threadsPerRank}};
  if (device.hasOwnCode())
    record["target_device"] = device.code;
  if (const plan::LossScale &scale = facts.lossScale; scale.initial > 0)
    record["loss_scale"] =
        training.lossScale
            ? json(scale.initial)
            : json{{"initial", scale.initial}, {"window", scale.growthInterval}, {"minimum", scale.minimum}};
  if (training.tensorRanks > 1)
    record["tp_layout"] = tensorLayout;
  if (training.replicas() > 1) // otherwise all ranks share out the states
    record["dp_shard"] = training.shardRanks;
  if (training.replicas() > 1 && training.optimizerShard == OptimizerShard::All)
    record["dp_optimizer_shard"] = training.dataRanks;
  if (!training.freeze.empty())
    record["freeze"] = training.freeze;
  if (!training.trainable.empty())
    record["trainable"] = training.trainable;
  if (target.multipliesByReference())
    record["matmul"] = "reference " + target.version;
  if (target.scratch == plan::ScratchRule::Workspace)
    record["matmul_workspace"] = training.matmulWorkspace.value_or(0);
  if (training.collectives != plan::Collectives::Ordered)
    record[plan::kCollectivesKey] = word(training.collectives);
  plan.numerics = record.dump();
}

} // namespace windlass
