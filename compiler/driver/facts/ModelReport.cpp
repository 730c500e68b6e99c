// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/facts/ModelReport.h"

#include "compiler/driver/facts/Facts.h"
#include "compiler/import/onnx/Report.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace mlir;

namespace windlass {
namespace {

std::string decisionOn(graph::StateOp state) {
  return graph::isStatistic(state)                 ? "updated"
         : state.getGroup() == graph::kFrozenGroup ? "frozen"
         : state.getDecay() && !state.getDecay()->isZero()
             ? "trained, decays by " + nlohmann::json(state.getDecay()->convertToDouble()).dump()
         : state.getGroup() == graph::kDecayGroup ? "trained, decays"
                                                  : "trained";
}

/// The first values of a parameter: the file, with the name there if it is another; or the initialiser.
std::string startOf(graph::StateOp state) {
  graph::InitAttr init = state.getInit();
  if (graph::SourceAttr source = init.getSource()) {
    const std::string file = std::filesystem::path(source.getFile().str()).filename();
    return file + (source.getTensor() == state.getOriginal() ? "" : ": " + source.getTensor().str());
  }
  if (init.getNormal())
    return "N(0, " + nlohmann::json(init.getStd().getValueAsDouble()).dump() + ")";
  return nlohmann::json(init.getMean().getValueAsDouble()).dump();
}

/// The number that the sum of losses is divided by. The training loop counts the last input of labels
/// (LossCounts.h).
std::string lossOf(const plan::Plan &plan) {
  std::string text = "a mean over examples";
  for (const plan::Input &input : plan.inputs)
    if (input.role == plan::InputRole::Labels || input.role == plan::InputRole::Classes)
      text =
          "a mean over the elements of \"" + input.name + "\" that are not " + std::to_string(input.ignored);
  return plan.lossShares.empty()
             ? text
             : text + "; " + std::to_string(plan.lossShares.size()) + " of its terms are means of their own";
}

} // namespace

Result<std::string> reportOf(ModuleOp imported) {
  plan::Plan plan;
  WINDLASS_TRY(describeModel(imported, plan));
  std::vector<std::vector<std::string>> inputs = {{"input", "role", "shape", "below"}};
  for (const plan::Input &input : plan.inputs)
    inputs.push_back({input.name, std::string(plan::textOf(input.role)), formatShape(input.shape),
                      input.bound > 0 ? std::to_string(input.bound) : "any number"});
  std::vector<std::vector<std::string>> parameters = {{"parameter", "shape", "decision", "starts from"}};
  for (auto state : imported.getOps<graph::StateOp>()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(state.getType()).getShape();
    if (state->hasAttr(graph::kNumber))
      shape = {};
    parameters.push_back({state.getOriginal().str(), formatShape(shape), decisionOn(state), startOf(state)});
  }
  std::string ties;
  for (const std::string &name : plan.ties)
    ties += (ties.empty() ? "" : ", ") + name;
  return onnx::table(inputs) + "\n" + onnx::table(parameters) + "\nlayers      " +
         std::to_string(plan.layers) + " (" + std::to_string(plan.distinctLayers) +
         " distinct)\ntied        " + (ties.empty() ? "nothing" : ties + ", read in several places") +
         "\nloss        " + lossOf(plan) + "\n";
}

} // namespace windlass
