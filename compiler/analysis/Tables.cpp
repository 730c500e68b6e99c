// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables over meshes: the second part of Analysis.h.

#include "compiler/analysis/Analysis.h"
#include "compiler/analysis/Grid.h"
#include "model/Formulas/ActivationMemory.h"
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

/// Lines with one cell for every stage.
class StageTable {
public:
  StageTable() : grid({{38, Grid::Align::Left}, {16}, {16}, {16}, {16}}) {}

  template <typename Cell> void add(const std::string &name, Cell cell) {
    std::vector<std::string> line = {"  " + name};
    for (ZeroStage stage : kStages)
      line.push_back(cell(stage));
    grid.add(std::move(line));
  }
  void addHeader(std::vector<std::string> cells) { grid.add(std::move(cells)); }
  std::string text() const { return grid.text(); }

private:
  Grid grid;
};

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
  StageTable table;
  table.addHeader({"model states of a rank", "baseline", "Pos", "Pos+g", "Pos+g+p"});
  std::set<int64_t> ranks = {1, 4, 16, 64, 256, 1024};
  ranks.insert(s.here.dataRanks);
  for (int64_t dataRanks : ranks)
    table.add(formatv("ZeRO Table 1, Nd {0}{1}", dataRanks, dataRanks == s.here.dataRanks ? ", here" : ""),
              [&](ZeroStage stage) {
                return bytes(model::stateBytesPerDevice(s.parameters, s.papers, stage, {dataRanks, 1}));
              });
  if (s.hasGroups()) {
    table.add(s.source() + ", " + s.groups(), [&](ZeroStage stage) {
      return bytes(model::stateBytesPerDevice(s.parameters, s.papers, stage, s.here));
    });
    table.add("ZeRO++ hpZ, " + s.groups(), [&](ZeroStage stage) {
      return stage == ZeroStage::Parameters
                 ? bytes(model::hpzStateBytesPerDevice(s.parameters, s.papers, s.here))
                 : std::string("-");
    });
  }
  table.add(formatv("counted in the IR, Nd {0}, here", s.here.dataRanks), [&](ZeroStage stage) {
    return bytes(std::round(model::stateBytesPerDevice(s.parameters, s.counted, stage, s.here)));
  });
  return table.text();
}

std::string describeLargest(const States &s, int64_t deviceBytes) {
  auto device = static_cast<double>(deviceBytes);
  StageTable table;
  for (int64_t modelRanks : {1, 2, 4, 8, 16})
    table.add(formatv("ZeRO Table 2, Nm {0}", modelRanks), [&](ZeroStage stage) {
      return count(model::largestModel(device, s.papers, stage, {s.here.dataRanks, modelRanks}));
    });
  if (s.hasGroups())
    table.add(s.source() + ", " + s.groups(),
              [&](ZeroStage stage) { return count(model::largestModel(device, s.papers, stage, s.here)); });
  return formatv("\nparameters whose states fill {0} a rank, Nd {1}\n", formatBytes(deviceBytes),
                 s.here.dataRanks)
             .str() +
         table.text();
}

std::string describeWire(const States &s, int64_t microBatches) {
  StageTable table;
  table.add("ZeRO Section 6, a step",
            [&](ZeroStage stage) { return count(model::communicationElements(s.parameters, stage)); });
  auto add = [&](const char *where, double model::WireElements::*part) {
    table.add(formatv("{0}, {1}, micro-batches {2}", s.source(), where, microBatches), [&](ZeroStage stage) {
      return count(model::communicationElements(s.parameters, stage, s.here, microBatches).*part);
    });
  };
  if (s.hasGroups()) {
    add("inside groups", &model::WireElements::inside);
    add("across groups", &model::WireElements::across);
  }
  return "\nelements a rank sends and receives\n" + table.text();
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
