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

/// What a training file fixes of the batch, whatever the mesh. Another size of micro-batches may change more
/// than last bits.
struct FixedBatch {
  int64_t global = 1;     ///< examples of a step
  int64_t microBatch = 1; ///< of a rank
};

/// A positive whole number that a batch may have, or 0.
int64_t wholeIn(const nlohmann::json &document, const char *key) {
  constexpr int64_t most = int64_t{1} << 31;
  if (!document.is_object() || !document.contains(key) || !document[key].is_number_integer())
    return 0;
  const auto number = document[key].get<int64_t>();
  return number > 0 && number <= most ? number : 0;
}

/// Whether the size of micro-batches follows from their number and the file's own mesh.
bool countsMicroBatches(const nlohmann::json &document) {
  return wholeIn(document, "micro_batches") > 0 && wholeIn(document, "micro_batch") == 0;
}

/// Refuses a number of micro-batches with which the file's own mesh does not make the `global_batch`, and so
/// says no size of them.
Status checkCount(const std::string &training, const nlohmann::json &document) {
  const int64_t data = document.contains("parallel") ? wholeIn(document["parallel"], "data") : 0,
                unit = std::max<int64_t>(data, 1) * wholeIn(document, "micro_batches"),
                global = wholeIn(document, "global_batch");
  return global % unit == 0
             ? Status::ok()
             : Status::badInput(training +
                                ": micro_batch: must be said for --parallel auto, which keeps the "
                                "size of micro-batches: global_batch = " +
                                std::to_string(global) +
                                " is no multiple of parallel.data x micro_batches = " + std::to_string(unit));
}

/// Reads the inputs of a request with an open mesh. The `global_batch` of a training file may be one that
/// another mesh makes than its own: then the file is read as that of one rank. Groups of ranks may be those
/// of another mesh, too.
Result<Inputs> readOpenInputs(const CompileRequest &asWritten, const nlohmann::json &document) {
  Result<Inputs> inputs = readInputs(asWritten);
  if (inputs || wholeIn(document, "global_batch") == 0)
    return inputs;
  for (const char *key : {"micro_batch", "micro_batches"})
    if (document.contains(key) && wholeIn(document, key) == 0)
      return inputs;
  nlohmann::json over = {{"parallel", {{"shard", "auto"}, {"optimizer_shard", "group"}}}};
  if (countsMicroBatches(document)) {
    WINDLASS_TRY(checkCount(asWritten.training, document));
  } else {
    over["parallel"]["data"] = 1;
    over["micro_batch"] = nullptr;
    over["micro_batches"] = 1;
  }
  Result<Inputs> others = readInputs(withTraining(asWritten, over));
  return others ? std::move(others) : std::move(inputs);
}

/// With a `global_batch` alone, micro-batches have one example.
FixedBatch fixedBatch(const TrainingOptions &training, const nlohmann::json &document) {
  if (wholeIn(document, "global_batch") == 0 || countsMicroBatches(document))
    return {training.globalBatch, training.microBatch};
  return {training.globalBatch, std::max<int64_t>(wholeIn(document, "micro_batch"), 1)};
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
    const int64_t data = ranks / tensor, unit = data * batch.microBatch;
    meshes.push_back({.data = data,
                      .tensor = tensor,
                      .pipeline = training.stages,
                      .microBatch = batch.microBatch,
                      .microBatches = batch.global / unit,
                      .crossesNodes = machine.ranksPerNode % tensor != 0});
    if (batch.global % unit != 0)
      meshes.back().refusal =
          request.training +
          ": global_batch: must be a multiple of parallel.data x micro_batch = " + std::to_string(unit) +
          ", is " + std::to_string(batch.global);
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
