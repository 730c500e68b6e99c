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

/// What the tables of model states are of.
struct States {
  explicit States(const Analysis &a)
      : parameters(static_cast<double>(a.parameters.all())),
        papers(*model::mixedPrecisionStates(a.options.bytesPerParameter)),
        counted{static_cast<double>(a.states.parameters) / parameters,
                static_cast<double>(a.states.gradients) / parameters,
                static_cast<double>(a.states.optimizer) / parameters},
        here{a.machine.ranks(), 1, a.groupRanks, a.sharesRest} {}

  /// Whose formulas groups are taken by; "here" where they are not quite the paper's.
  std::string source() const { return here.sharesRest ? "hpZ here" : "MiCS"; }
  bool hasGroups() const { return here.sharers() < here.dataRanks; }
  std::string groups() const {
    return formatv("groups {0} of {1} ranks", here.dataRanks / here.sharers(), here.sharers());
  }

  double parameters;
  model::StateBytes papers, counted; ///< of one parameter
  model::StateMesh here;
};

std::string describeBytes(const States &s) {
  std::string text = formatv("model states of a rank                {0,16}{1,16}{2,16}{3,16}\n", "baseline",
                             "Pos", "Pos+g", "Pos+g+p");
  std::set<int64_t> ranks = {1, 4, 16, 64, 256, 1024};
  ranks.insert(s.here.dataRanks);
  for (int64_t dataRanks : ranks)
    text +=
        stageRow(formatv("ZeRO Table 1, Nd {0}{1}", dataRanks, dataRanks == s.here.dataRanks ? ", here" : ""),
                 [&](ZeroStage stage) {
                   return bytes(model::stateBytesPerDevice(s.parameters, s.papers, stage, {dataRanks, 1}));
                 });
  if (s.hasGroups()) {
    text += stageRow(s.source() + ", " + s.groups(), [&](ZeroStage stage) {
      return bytes(model::stateBytesPerDevice(s.parameters, s.papers, stage, s.here));
    });
    text += stageRow("ZeRO++ hpZ, " + s.groups(), [&](ZeroStage stage) {
      return stage == ZeroStage::Parameters
                 ? bytes(model::hpzStateBytesPerDevice(s.parameters, s.papers, s.here))
                 : std::string("-");
    });
  }
  return text + stageRow(formatv("counted in the IR, Nd {0}, here", s.here.dataRanks), [&](ZeroStage stage) {
           return bytes(std::round(model::stateBytesPerDevice(s.parameters, s.counted, stage, s.here)));
         });
}

std::string describeLargest(const States &s, int64_t deviceBytes) {
  auto device = static_cast<double>(deviceBytes);
  std::string text = formatv("\nparameters whose states fill {0} a rank, Nd {1}\n", formatBytes(deviceBytes),
                             s.here.dataRanks);
  for (int64_t modelRanks : {1, 2, 4, 8, 16})
    text += stageRow(formatv("ZeRO Table 2, Nm {0}", modelRanks), [&](ZeroStage stage) {
      return count(model::largestModel(device, s.papers, stage, {s.here.dataRanks, modelRanks}));
    });
  if (s.hasGroups())
    text += stageRow(s.source() + ", " + s.groups(), [&](ZeroStage stage) {
      return count(model::largestModel(device, s.papers, stage, s.here));
    });
  return text;
}

std::string describeWire(const States &s, int64_t microBatches) {
  std::string text = "\nelements a rank sends and receives\n";
  text += stageRow("ZeRO Section 6, a step",
                   [&](ZeroStage stage) { return count(model::communicationElements(s.parameters, stage)); });
  if (!s.hasGroups())
    return text;
  auto row = [&](const char *where, double model::WireElements::*part) {
    return stageRow(
        formatv("{0}, {1}, micro-batches {2}", s.source(), where, microBatches), [&](ZeroStage stage) {
          return count(model::communicationElements(s.parameters, stage, s.here, microBatches).*part);
        });
  };
  return text + row("inside groups", &model::WireElements::inside) +
         row("across groups", &model::WireElements::across);
}

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
  States states(a);
  return describeBytes(states) + describeLargest(states, a.machine.capacity(plan::Tier::Device)) +
         describeWire(states, a.microBatches);
}

} // namespace windlass::analysis
