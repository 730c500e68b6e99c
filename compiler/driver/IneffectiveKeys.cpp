// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/IneffectiveKeys.h"

#include "compiler/driver/candidates/TileBounds.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "runtime/base/Counted.h"
#include <algorithm>
#include <ranges>

using namespace mlir;

namespace windlass {

Status IneffectiveKeys::warn(ModuleOp imported, const std::vector<plan::Input> &inputs) const {
  Result<std::vector<std::string>> limits = TileBounds(levels, training).ineffectiveKeys(imported);
  if (!limits)
    return limits.status();
  for (const std::string &key : *limits)
    request.warn(request.training + ": " + key + ": has no effect: the model has nothing that it could cut");
  // Numbers come in sequences only where the model's file binds a dimension to them.
  const bool isBound = imported->hasAttr(graph::kBindsSequence);
  const auto isAsLong = [&](const plan::Input &input) {
    return (isBound || input.type == plan::ElementType::I32) &&
           std::ranges::count(input.shape | std::views::drop(1), training.sequence) > 0;
  };
  if (training.sequence > 0 && std::ranges::none_of(inputs, isAsLong))
    request.warn(request.training + ": sequence: " + std::to_string(training.sequence) +
                 " has no effect: no input of the model has sequences of this length");
  warnOfAbsentRanks();
  return warnOfWholeParameters(imported);
}

/// Warns of decisions on groups of ranks, tensor-parallel ranks or stages, if there are none of these.
void IneffectiveKeys::warnOfAbsentRanks() const {
  const auto warnOf = [&](bool isGiven, const char *key, const char *without) {
    if (isGiven)
      request.warn(request.decisions() + ": " + key + ": has no effect without " + without);
  };
  if (training.replicas() == 1 && training.optimizerShard == OptimizerShard::All)
    request.warn(request.training +
                 ": parallel.optimizer_shard: has no effect: no groups of ranks hold copies");
  if (training.tensorRanks == 1) {
    warnOf(training.sequenceParallel.has_value(), "sequence_parallel", "parallel.tensor");
    warnOf(training.reshardActivations.has_value(), "reshard_activations", "parallel.tensor");
  } else if (!training.sequenceParallel.value_or(true)) {
    warnOf(training.reshardActivations.has_value(), "reshard_activations", "sequence_parallel");
  } else if (training.sequenceParallel && training.checkpointPartition) {
    request.warn(request.decisions() + ": checkpoint_partition: has no effect beside sequence_parallel: each "
                                       "rank keeps rows of its own");
  }
  if (training.stages == 1) {
    warnOf(training.pipelineSchedule != PipelineSchedule::Auto, "pipeline.schedule", "parallel.pipeline");
    warnOf(training.pipelineChunks.has_value(), "pipeline.chunks", "parallel.pipeline");
    warnOf(!training.pipelineLag.empty(), "pipeline.lag", "parallel.pipeline");
    warnOf(!training.pipelineCut.empty(), "pipeline.cut", "parallel.pipeline");
  }
}

Status IneffectiveKeys::warnOfWholeParameters(ModuleOp imported) const {
  Result<std::vector<std::string>> whole = TileBounds(levels, training).wholeBesideRanks(imported);
  if (!whole)
    return whole.status();
  if (!whole->empty())
    request.warn(request.training + ": tile.limit: leaves whole what tiles cut on one rank: \"" +
                 whole->front() + "\"" +
                 (whole->size() > 1 ? " and " + counted(std::ssize(*whole) - 1, "other parameter") : "") +
                 ", of which ranks of parallel.tensor " + std::to_string(training.tensorRanks) +
                 " have parts that no tile lies in");
  return Status::ok();
}

} // namespace windlass
