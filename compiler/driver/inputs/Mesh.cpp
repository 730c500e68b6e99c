// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/inputs/Mesh.h"

#include "compiler/driver/inputs/Inputs.h"
#include "compiler/driver/inputs/TrainingOver.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace windlass {

std::string Mesh::text() const {
  return "data=" + std::to_string(data) + ",tensor=" + std::to_string(tensor) +
         (pipeline > 1 ? ",pipeline=" + std::to_string(pipeline) : "");
}

namespace {

/// What a training file fixes of the batch, whatever the mesh. 0: the mesh decides.
struct FixedBatch {
  int64_t global = 0;     ///< examples of a step
  int64_t microBatch = 0; ///< of a rank
  int64_t microBatches = 0;

  /// The examples of which a step has a multiple on so many data ranks.
  int64_t unit(int64_t dataRanks) const { return dataRanks * (microBatch > 0 ? microBatch : microBatches); }
};

/// A positive whole number that a batch may have, or 0.
int64_t wholeIn(const nlohmann::json &document, const char *key) {
  constexpr int64_t most = int64_t{1} << 31;
  if (!document.is_object() || !document.contains(key) || !document[key].is_number_integer())
    return 0;
  const auto number = document[key].get<int64_t>();
  return number > 0 && number <= most ? number : 0;
}

/// Reads the inputs of a request with an open mesh. The `global_batch` of a training file may be one that
/// another mesh makes than its own: then the file is read as that of one rank.
Result<Inputs> readOpenInputs(const CompileRequest &asWritten, const nlohmann::json &document) {
  Result<Inputs> inputs = readInputs(asWritten);
  if (inputs || wholeIn(document, "global_batch") == 0)
    return inputs;
  for (const char *key : {"micro_batch", "micro_batches"})
    if (document.contains(key) && wholeIn(document, key) == 0)
      return inputs;
  Result<Inputs> ofOneRank = readInputs(
      withTraining(asWritten, {{"parallel", {{"data", 1}, {"shard", "auto"}, {"optimizer_shard", "group"}}},
                               {"micro_batch", nullptr},
                               {"micro_batches", 1}}));
  return ofOneRank ? std::move(ofOneRank) : std::move(inputs);
}

FixedBatch fixedBatch(const TrainingOptions &training, const nlohmann::json &document) {
  const int64_t size = wholeIn(document, "micro_batch"), count = wholeIn(document, "micro_batches");
  if (wholeIn(document, "global_batch") == 0)
    return {training.globalBatch, training.microBatch, 0};
  if (size == 0 && count > 0)
    return {training.globalBatch, 0, count};
  return {training.globalBatch, std::max<int64_t>(size, 1), 0};
}

} // namespace

Result<std::vector<Mesh>> openMeshes(const CompileRequest &request) {
  CompileRequest asWritten = request;
  asWritten.parallel.clear();
  asWritten.isMeshOpen = true;
  Result<TrainingOptions> written = readTraining(asWritten);
  if (written && written->stages == 0)
    return Status(ExitCode::Usage,
                  "--parallel: auto leaves no ranks to " + request.training +
                      ": parallel.pipeline: \"auto\": say how many stages, or the other axes");
  const nlohmann::json document = trainingDocument(asWritten);
  Result<Inputs> inputs = readOpenInputs(asWritten, document);
  if (!inputs)
    return inputs.status();
  const TrainingOptions &training = inputs->training;
  const model::Machine &machine = inputs->machine;
  if (machine.ranks() % training.stages != 0)
    return Status::badInput(request.training + ": parallel.pipeline: must divide the " +
                            std::to_string(machine.ranks()) + " ranks of " + request.hardware + ", is " +
                            std::to_string(training.stages));
  const int64_t ranks = machine.ranks() / training.stages;
  const FixedBatch batch = fixedBatch(training, document);
  std::vector<Mesh> meshes;
  for (int64_t tensor = 1; tensor <= ranks; ++tensor) {
    if (ranks % tensor != 0)
      continue;
    const int64_t data = ranks / tensor, unit = batch.unit(data), factor = batch.global / unit;
    meshes.push_back({.data = data,
                      .tensor = tensor,
                      .pipeline = training.stages,
                      .microBatch = batch.microBatch > 0 ? batch.microBatch : factor,
                      .microBatches = batch.microBatches > 0 ? batch.microBatches : factor,
                      .crossesNodes = machine.ranksPerNode % tensor != 0});
    if (batch.global % unit != 0)
      meshes.back().refusal = request.training + ": global_batch: must be a multiple of parallel.data x " +
                              (batch.microBatch > 0 ? "micro_batch = " : "micro_batches = ") +
                              std::to_string(unit) + ", is " + std::to_string(batch.global);
  }
  std::ranges::stable_partition(meshes, [](const Mesh &mesh) { return !mesh.crossesNodes; });
  if (std::ranges::none_of(meshes, &std::string::empty, &Mesh::refusal))
    return Status::badInput(meshes.front().refusal + "; no other mesh of the " + std::to_string(ranks) +
                            " ranks makes it, either");
  return meshes;
}

CompileRequest settledOn(CompileRequest request, const Mesh &mesh) {
  request.parallel = mesh.text();
  return withTraining(
      request,
      {{"micro_batch", mesh.microBatch}, {"micro_batches", mesh.microBatches}, {"global_batch", nullptr}});
}

} // namespace windlass
