// Tables over meshes: the second part of Analysis.h.

#include "compiler/analysis/Analysis.h"
#include "compiler/model/Formulas/ActivationMemory.h"
#include "runtime/base/Units.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <cmath>
#include <set>

namespace windlass::analysis {
namespace {

using llvm::formatv;
using model::Recomputed;
using model::ZeroStage;

std::string bytes(double count) { return formatBytes(static_cast<int64_t>(count)); }
std::string count(double elements) { return formatCount(static_cast<int64_t>(elements)); }

constexpr std::array kStages = {ZeroStage::Nothing, ZeroStage::OptimizerStates, ZeroStage::Gradients,
                                ZeroStage::Parameters};

/// A line with one cell for every stage.
template <typename Cell> std::string stageRow(const std::string &name, Cell cell) {
  std::string line = formatv("  {0,-36}", name);
  for (ZeroStage stage : kStages)
    line += formatv("{0,16}", cell(stage)).str();
  return line + "\n";
}

struct Variant {
  const char *name, *formula;
  bool sequenceParallel;
  Recomputed recomputed;
};
constexpr Variant kVariants[] = {
    {"none", "sbh(10 + 24/t + 5as/ht)", false, Recomputed::Nothing},
    {"none, sequence-parallel", "sbh(34/t + 5as/ht)", true, Recomputed::Nothing},
    {"selective", "sbh(10 + 24/t)", false, Recomputed::AttentionCore},
    {"selective, sequence-parallel", "34 sbh/t", true, Recomputed::AttentionCore},
    {"full", "2 sbh", false, Recomputed::Layer}};

} // namespace

std::string describeActivations(const Analysis &a) {
  if (!a.transformer)
    return "";
  std::vector<int64_t> ranks;
  for (int64_t t : {1, 2, 4, 8})
    if (a.transformer->model.heads % t == 0)
      ranks.push_back(t);
  std::string text = formatv("{0,-42}{1,-24}", "activations of a layer on a rank", "ACT");
  for (int64_t t : ranks)
    text += formatv("{0,12}", formatv("t {0}", t).str()).str();
  text += "\n";
  for (const Variant &variant : kVariants) {
    text += formatv("  recompute {0,-30}{1,-24}", variant.name, variant.formula).str();
    for (int64_t t : ranks)
      text +=
          formatv("{0,12}",
                  bytes(model::activationBytesPerLayer(a.transformer->model, a.transformer->batch,
                                                       {t, variant.sequenceParallel}, variant.recomputed)))
              .str();
    text += "\n";
  }
  return text;
}

std::string describeStates(const Analysis &a) {
  auto parameters = static_cast<double>(a.parameters.all());
  model::StateBytes states = *model::mixedPrecisionStates(a.options.bytesPerParameter);
  int64_t here = a.machine.ranks(), device = a.machine.capacity(plan::Tier::Device);
  std::string text = formatv("model states of a rank                {0,16}{1,16}{2,16}{3,16}\n", "baseline",
                             "Pos", "Pos+g", "Pos+g+p");
  std::set<int64_t> ranks = {1, 4, 16, 64, 256, 1024};
  ranks.insert(here);
  for (int64_t dataRanks : ranks)
    text += stageRow(formatv("ZeRO Table 1, Nd {0}{1}", dataRanks, dataRanks == here ? ", here" : ""),
                     [&](ZeroStage stage) {
                       return bytes(model::stateBytesPerDevice(parameters, states, stage, {dataRanks, 1}));
                     });
  model::StateBytes counted{static_cast<double>(a.states.parameters) / parameters,
                            static_cast<double>(a.states.gradients) / parameters,
                            static_cast<double>(a.states.optimizer) / parameters};
  text += stageRow(formatv("counted in the IR, Nd {0}, here", here), [&](ZeroStage stage) {
    return bytes(std::round(model::stateBytesPerDevice(parameters, counted, stage, {here, 1})));
  });
  text += formatv("\nparameters whose states fill {0} a rank, Nd {1}\n", formatBytes(device), here);
  for (int64_t modelRanks : {1, 2, 4, 8, 16})
    text += stageRow(formatv("ZeRO Table 2, Nm {0}", modelRanks), [&](ZeroStage stage) {
      return count(model::largestModel(static_cast<double>(device), states, stage, {here, modelRanks}));
    });
  text += "\nelements a rank sends and receives\n";
  return text + stageRow("ZeRO Section 6, a step", [&](ZeroStage stage) {
           return count(model::communicationElements(parameters, stage));
         });
}

} // namespace windlass::analysis
