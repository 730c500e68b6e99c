// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables over meshes: the second part of Analysis.h.

#include "compiler/analysis/Figures.h"
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

constexpr std::array kStages = {ZeroStage::Nothing, ZeroStage::OptimizerStates, ZeroStage::Gradients,
                                ZeroStage::Parameters};

/// Adds a row with one cell for every stage.
template <typename Cell> void add(StateTable &table, const std::string &name, Cell cell) {
  StateTable::Row &row = table.rows.emplace_back(StateTable::Row{name, {}});
  for (size_t i = 0; i < kStages.size(); ++i)
    row.stages[i] = cell(kStages[i]);
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
    {"full", "2 sbh", false, Recomputed::Layer},
    {"full, inputs in parts", "2 sbh/t", false, Recomputed::LayerInParts}};

/// The formula of exchangedElements() for a way.
const char *formulaOf(const model::ExchangeWay &way) {
  if (!way.sequenceParallel)
    return way.repeatsLayer ? "10 sbh" : "8 sbh";
  if (way.keepsGathered)
    return way.repeatsLayer ? "11 sbh" : "8 sbh";
  return way.repeatsLayer ? "13 sbh" : "10 sbh";
}

/// The states and meshes of the tables of model states.
struct States {
  explicit States(const Analysis &a)
      : parameters(static_cast<double>(a.parameters.all())),
        papers(*model::mixedPrecisionStates(a.options.bytesPerParameter)),
        counted{static_cast<double>(a.states.parameters) / parameters,
                static_cast<double>(a.states.gradients) / parameters,
                static_cast<double>(a.states.optimizer) / parameters},
        here{a.machine.ranks() / (a.tensorRanks * a.stages), a.tensorRanks * a.stages, a.groupRanks,
             a.sharesRest},
        stages(a.stages) {}

  /// The source of the formulas for groups; "here" if they differ from the paper's.
  std::string source() const { return here.sharesRest ? "hpZ here" : "MiCS"; }
  /// "Nd 4", "Nd 2, Nm 2"
  std::string meshOf(int64_t dataRanks) const {
    const std::string mesh = "Nd " + std::to_string(dataRanks);
    return here.modelRanks == 1 ? mesh : mesh + ", Nm " + std::to_string(here.modelRanks);
  }
  /// The mesh of the counted states: those of one tensor rank over all stages; a stage has an even share on
  /// average.
  model::StateMesh ofCounted() const {
    model::StateMesh mesh = here;
    mesh.modelRanks = stages;
    return mesh;
  }
  const char *share() const { return stages > 1 ? ", mean of the stages" : ""; }
  bool hasGroups() const { return here.sharers() < here.dataRanks; }
  std::string groups() const {
    return formatv("groups {0} of {1} ranks", here.dataRanks / here.sharers(), here.sharers());
  }

  double parameters;
  model::StateBytes papers, counted; ///< of one parameter
  model::StateMesh here;
  int64_t stages;
};

StateTable bytesOf(const States &s, bool isCounted) {
  StateTable table{"model states of a rank", Unit::Bytes, {}};
  std::set<int64_t> ranks = {1, 4, 16, 64, 256, 1024};
  ranks.insert(s.here.dataRanks);
  for (int64_t dataRanks : ranks)
    add(table,
        formatv("ZeRO Table 1, {0}{1}", s.meshOf(dataRanks), dataRanks == s.here.dataRanks ? ", here" : ""),
        [&](ZeroStage stage) {
          return model::stateBytesPerDevice(s.parameters, s.papers, stage, {dataRanks, s.here.modelRanks});
        });
  if (s.hasGroups()) {
    add(table, s.source() + ", " + s.groups(),
        [&](ZeroStage stage) { return model::stateBytesPerDevice(s.parameters, s.papers, stage, s.here); });
    add(table, "ZeRO++ hpZ, " + s.groups(), [&](ZeroStage stage) {
      return stage == ZeroStage::Parameters
                 ? std::optional(model::hpzStateBytesPerDevice(s.parameters, s.papers, s.here))
                 : std::nullopt;
    });
  }
  const std::string mesh = s.meshOf(s.here.dataRanks);
  if (isCounted)
    add(table, formatv("counted in the IR, {0}, here{1}", mesh, s.share()), [&](ZeroStage stage) {
      return std::round(model::stateBytesPerDevice(s.parameters, s.counted, stage, s.ofCounted()));
    });
  return table;
}

StateTable largestOf(const States &s, bool isCounted, int64_t deviceBytes) {
  auto device = static_cast<double>(deviceBytes);
  StateTable table{
      formatv("parameters whose states fill {0} a rank, Nd {1}", formatBytes(deviceBytes), s.here.dataRanks),
      Unit::Elements,
      {}};
  for (int64_t modelRanks : {1, 2, 4, 8, 16})
    add(table, formatv("ZeRO Table 2, Nm {0}", modelRanks), [&](ZeroStage stage) {
      return model::largestModel(device, s.papers, stage, {s.here.dataRanks, modelRanks});
    });
  if (s.hasGroups())
    add(table, s.source() + ", " + s.groups(),
        [&](ZeroStage stage) { return model::largestModel(device, s.papers, stage, s.here); });
  if (isCounted)
    add(table, formatv("counted in the IR, Nm {0}, here{1}", s.here.modelRanks, s.share()),
        [&](ZeroStage stage) { return model::largestModel(device, s.counted, stage, s.ofCounted()); });
  return table;
}

StateTable measuredModels() {
  StateTable table{"parameters that were trained on 32 GB a rank, Nd 64", Unit::Elements, {}};
  for (const auto &[modelRanks, baseline, optimizerStates] : model::largestModelsMeasured())
    table.rows.push_back({formatv("ZeRO Table 2, right, Nm {0}", modelRanks),
                          {baseline, optimizerStates, std::nullopt, std::nullopt}});
  return table;
}

StateTable wireOf(const States &s, int64_t microBatches) {
  StateTable table{"elements a rank sends and receives", Unit::Elements, {}};
  add(table, s.here.modelRanks == 1 ? "ZeRO Section 6, a step" : "ZeRO Section 6, a step, of Psi/Nm",
      [&](ZeroStage stage) {
        return model::communicationElements(s.parameters, stage, {s.here.dataRanks, s.here.modelRanks}, 1)
            .inside;
      });
  auto addPart = [&](const char *where, double model::WireElements::*part) {
    add(table, formatv("{0}, {1}, micro-batches {2}", s.source(), where, microBatches), [&](ZeroStage stage) {
      return model::communicationElements(s.parameters, stage, s.here, microBatches).*part;
    });
  };
  if (s.hasGroups()) {
    addPart("inside groups", &model::WireElements::inside);
    addPart("across groups", &model::WireElements::across);
  }
  return table;
}

std::string linesOf(const StateTable &table, bool hasHeader) {
  Grid grid({{38, Grid::Align::Left}, {16}, {16}, {16}, {16}});
  if (hasHeader)
    grid.add({table.title, "baseline", "Pos", "Pos+g", "Pos+g+p"});
  for (const StateTable::Row &row : table.rows) {
    std::vector<std::string> line = {"  " + row.name};
    for (const std::optional<double> &value : row.stages)
      line.push_back(value ? shown(*value, table.unit) : "-");
    grid.add(std::move(line));
  }
  return hasHeader ? grid.text() : "\n" + table.title + "\n" + grid.text();
}

std::string bytesOrNone(const std::optional<double> &bytes) {
  return bytes ? shown(*bytes, Unit::Bytes) : "-";
}

/// The bytes of a layer's activations by ACT. What is kept of a layer that is repeated is its input, whatever
/// the width of its heads.
std::optional<double> activationsByAct(const Analysis &a, model::ActivationMesh mesh, Recomputed recomputed) {
  const double bytes =
      model::activationBytesPerLayer(a.transformer->model, a.transformer->batch, mesh, recomputed);
  const bool keepsInput = recomputed == Recomputed::Layer || recomputed == Recomputed::LayerInParts;
  return keepsInput ? std::optional(bytes) : ofPapersWidths(a, bytes);
}

} // namespace

ActivationTable activationsOf(const Analysis &a) {
  ActivationTable table;
  if (!a.transformer)
    return table;
  for (int64_t t : {1, 2, 4, 8})
    if (a.transformer->model.heads % t == 0)
      table.ranks.push_back(t);
  for (const Variant &variant : kVariants) {
    ActivationTable::Row &row =
        table.rows.emplace_back(ActivationTable::Row{variant.name, variant.formula, {}});
    for (int64_t t : table.ranks)
      row.bytes.push_back(activationsByAct(a, {t, variant.sequenceParallel}, variant.recomputed));
  }
  if (a.tensorRanks > 1) {
    table.counted =
        formatv("counted in the IR, t {0}{1}", a.tensorRanks, a.ownRows ? ", own rows" : "").str();
    table.countedBytes = static_cast<double>(a.kept.largestLayer);
    table.papers = activationsByAct(a, {a.tensorRanks, a.ownRows}, Recomputed::AttentionCore);
  }
  return table;
}

std::string describeActivations(const Analysis &a) {
  const ActivationTable table = activationsOf(a);
  if (table.rows.empty())
    return "";
  std::string text = formatv("{0,-42}{1,-24}", "activations of a layer on a rank", "ACT");
  for (int64_t t : table.ranks)
    text += formatv("{0,12}", formatv("t {0}", t).str()).str();
  text += "\n";
  for (const ActivationTable::Row &row : table.rows) {
    text += formatv("  recompute {0,-30}{1,-24}", row.recompute, row.formula).str();
    for (const std::optional<double> &bytes : row.bytes)
      text += formatv("{0,12}", bytesOrNone(bytes)).str();
    text += "\n";
  }
  if (!table.counted.empty())
    text += formatv("  {0,-40}{1,-24}{2,12}\n", table.counted, "ACT: " + bytesOrNone(table.papers),
                    shown(table.countedBytes, Unit::Bytes));
  return text;
}

std::string describeFirstStage(const Analysis &a) {
  if (a.firstStage.empty())
    return "";
  std::string text =
      formatv("{0,-42}{1,-24}{2,12}{3,12}\n", "layers that the first stage holds", "ACT", "formula", "slots");
  for (const HeldLayers &held : a.firstStage)
    text += formatv("  {0,-40}{1,-24}{2,12:F2}{3,12:F2}\n", held.schedule, held.formula, held.byFormula,
                    held.counted);
  return text;
}

/// The bytes that a layer keeps by ACT, in 16 bits: without the core of attention, which a plan repeats. ACT
/// keeps no gathered inputs of products.
static std::optional<double> keptByAct(const Analysis &a, const model::ExchangeWay &way) {
  if (way.keepsGathered)
    return std::nullopt;
  const Recomputed recomputed = !way.repeatsLayer      ? Recomputed::AttentionCore
                                : way.sequenceParallel ? Recomputed::LayerInParts
                                                       : Recomputed::Layer;
  return activationsByAct(a, {a.tensorRanks, way.sequenceParallel}, recomputed);
}

std::vector<ExchangeRow> exchangesOf(const Analysis &a) {
  std::vector<ExchangeRow> rows;
  if (!a.transformer)
    return rows;
  const model::Transformer &t = a.transformer->model;
  const int64_t batch = a.transformer->batch;
  for (const auto &[way, counted, kept] : a.exchanges) {
    const char *rest = !way.sequenceParallel ? "" : ", sequence-parallel";
    rows.push_back(
        {std::string(way.repeatsLayer ? "full" : "none") + rest + (way.keepsGathered ? ", inputs kept" : ""),
         way.repeatsLayer ? "12 sbh" : "8 sbh", formulaOf(way), model::exchangedByAct(t, batch, way),
         model::exchangedElements(t, batch, way), counted, keptByAct(a, way), static_cast<double>(kept)});
  }
  return rows;
}

std::string describeExchanges(const Analysis &a) {
  const std::vector<ExchangeRow> rows = exchangesOf(a);
  if (rows.empty())
    return "";
  Grid grid({{50, Grid::Align::Left}, {8, Grid::Align::Left}, {14}, {10}, {14}, {14}, {14}, {12}, {12}});
  grid.add({"elements a layer exchanges, t " + std::to_string(a.tensorRanks), "ACT", "", "here", "",
            "counted", "of parameters", "kept, ACT", "counted"});
  const auto cell = [](auto elements) { return shown(static_cast<double>(elements), Unit::Elements); };
  for (const ExchangeRow &row : rows)
    grid.add({"  recompute " + row.recompute, row.act, cell(row.byAct), row.formula, cell(row.byFormula),
              cell(row.counted.activations), cell(row.counted.parameters), bytesOrNone(row.keptByAct),
              shown(row.kept, Unit::Bytes)});
  return grid.text();
}

std::array<StateTable, 4> stateTablesOf(const Analysis &a) {
  const States states(a);
  return {bytesOf(states, a.isCounted),
          largestOf(states, a.isCounted, a.machine.capacity(plan::Tier::Device)), measuredModels(),
          wireOf(states, a.microBatches)};
}

std::string describeStates(const Analysis &a) {
  std::string text;
  for (const StateTable &table : stateTablesOf(a))
    text += linesOf(table, text.empty());
  return text;
}

} // namespace windlass::analysis
