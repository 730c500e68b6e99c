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

Result<std::vector<Mesh>> openMeshes(const CompileRequest &request) {
  CompileRequest asWritten = request;
  asWritten.parallel.clear();
  asWritten.isMeshOpen = true;
  Result<TrainingOptions> written = readTraining(asWritten);
  if (written && written->stages == 0)
    return Status(ExitCode::Usage,
                  "--parallel: auto leaves no ranks to " + request.training +
                      ": parallel.pipeline: \"auto\": say how many stages, or the other axes");
  Result<Inputs> inputs = readInputs(asWritten);
  if (!inputs) { // its batch may be that of another mesh than its own
    Result<Inputs> ofOneRank = readInputs(withTraining(asWritten, {{"parallel", {{"data", 1}}}}));
    if (!ofOneRank)
      return inputs.status();
    inputs = ofOneRank.take();
  }
  const TrainingOptions &training = inputs->training;
  const model::Machine &machine = inputs->machine;
  if (machine.ranks() % training.stages != 0)
    return Status::badInput(request.training + ": parallel.pipeline: must divide the " +
                            std::to_string(machine.ranks()) + " ranks of " + request.hardware + ", is " +
                            std::to_string(training.stages));
  const int64_t ranks = machine.ranks() / training.stages;
  std::vector<Mesh> meshes;
  for (int64_t tensor = 1; tensor <= ranks; ++tensor) {
    if (ranks % tensor != 0)
      continue;
    const int64_t examples = ranks / tensor * training.microBatch; // of a micro-batch, on all ranks
    meshes.push_back({.data = ranks / tensor,
                      .tensor = tensor,
                      .pipeline = training.stages,
                      .microBatch = training.microBatch,
                      .microBatches = training.globalBatch / examples,
                      .crossesNodes = machine.ranksPerNode % tensor != 0});
    if (training.globalBatch % examples != 0)
      meshes.back().refusal =
          request.training +
          ": global_batch: must be a multiple of parallel.data x micro_batch = " + std::to_string(examples) +
          ", is " + std::to_string(training.globalBatch);
  }
  std::ranges::stable_partition(meshes, [](const Mesh &mesh) { return !mesh.crossesNodes; });
  if (std::ranges::none_of(meshes, &std::string::empty, &Mesh::refusal))
    return Status::badInput(request.training + ": global_batch: " + std::to_string(training.globalBatch) +
                            " is not made of micro-batches of " + std::to_string(training.microBatch) +
                            " on any part of " + std::to_string(ranks) + " ranks");
  return meshes;
}

CompileRequest settledOn(CompileRequest request, const Mesh &mesh) {
  request.parallel = mesh.text();
  return withTraining(
      request,
      {{"micro_batch", mesh.microBatch}, {"micro_batches", mesh.microBatches}, {"global_batch", nullptr}});
}

} // namespace windlass
