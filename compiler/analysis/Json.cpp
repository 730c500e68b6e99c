// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures of an analysis as JSON.
#include "compiler/analysis/Figures.h"

#include "runtime/plan/Enums.h"
#include <nlohmann/json.hpp>

namespace windlass::analysis {
namespace {

using json = nlohmann::ordered_json;

/// The value; null without one.
json valueOf(const std::optional<double> &value) { return value ? json(*value) : json(nullptr); }

json toJson(const Quantity &quantity) {
  json counted = json::array();
  for (const Quantity::Counted &part : quantity.counted)
    counted.push_back({{"what", part.words}, {"value", part.value}});
  return {{"quantity", quantity.name},          {"source", quantity.source},
          {"formula", quantity.formula},        {"unit", word(quantity.unit)},
          {"papers", valueOf(quantity.papers)}, {"counted", std::move(counted)}};
}

json toJson(const StateTable &table) {
  json rows = json::array();
  for (const StateTable::Row &row : table.rows)
    rows.push_back({{"row", row.name},
                    {"baseline", valueOf(row.stages[0])},
                    {"Pos", valueOf(row.stages[1])},
                    {"Pos+g", valueOf(row.stages[2])},
                    {"Pos+g+p", valueOf(row.stages[3])}});
  return {{"title", table.title}, {"unit", word(table.unit)}, {"rows", std::move(rows)}};
}

json toJson(const ActivationTable &table) {
  json rows = json::array();
  for (const ActivationTable::Row &row : table.rows) {
    json bytes = json::array();
    for (const std::optional<double> &each : row.bytes)
      bytes.push_back(valueOf(each));
    rows.push_back({{"recompute", row.recompute}, {"formula", row.formula}, {"bytes", std::move(bytes)}});
  }
  json document = {{"tensor_ranks", table.ranks}, {"rows", std::move(rows)}};
  if (!table.counted.empty())
    document["here"] = {
        {"what", table.counted}, {"papers", valueOf(table.papers)}, {"counted", table.countedBytes}};
  return document;
}

json toJson(const ExchangeRow &row) {
  return {{"recompute", row.recompute},
          {"formula_of_act", row.act},
          {"act", row.byAct},
          {"formula", row.formula},
          {"here", row.byFormula},
          {"counted", {{"activations", row.counted.activations}, {"parameters", row.counted.parameters}}},
          {"kept_bytes", {{"act", valueOf(row.keptByAct)}, {"counted", row.kept}}}};
}

json toJson(const MovedBytes &moved) {
  json over = json::array();
  for (const LinkEfficiency &link : moved.over)
    over.push_back({{"link", link.link},
                    {"links", link.links},
                    {"bytes_per_second", link.perSecond},
                    {"efficiency", link.efficiency}});
  return {{"moved", moved.name},
          {"source", moved.source},
          {"flop_per_byte", moved.intensity},
          {"bytes_per_second_for_50_percent", moved.forHalf},
          {"bytes_per_second_for_90_percent", moved.forNineTenths},
          {"over", std::move(over)}};
}

} // namespace

json toJson(const Analysis &a) {
  json document = {{"format", "windlass.analysis/1"},
                   {"model", a.name},
                   {"parameters", a.parameters.all()},
                   {"layers", a.layers},
                   {"ranks", a.machine.ranks()},
                   {"micro_batches", a.microBatches},
                   {"compute", plan::textOf(a.compute)},
                   {"bytes_per_parameter", a.options.bytesPerParameter},
                   {"layers_a_checkpoint", a.options.checkpointEvery}};
  if (a.tensorRanks > 1)
    document["tensor_ranks"] = a.tensorRanks;
  if (a.stages > 1)
    document["stages"] = a.stages;
  if (const auto &t = a.transformer)
    document["transformer"] = {{"hidden", t->model.hidden},
                               {"attention_width", t->attentionWidth},
                               {"heads", t->model.heads},
                               {"sequence", t->model.sequence},
                               {"sequences_a_micro_batch", t->batch}};
  json quantities = json::array(), states = json::array();
  for (const Quantity &quantity : quantitiesOf(a))
    quantities.push_back(toJson(quantity));
  for (const StateTable &table : stateTablesOf(a))
    states.push_back(toJson(table));
  document["quantities"] = std::move(quantities);
  document["states"] = std::move(states);
  if (const ActivationTable activations = activationsOf(a); !activations.rows.empty())
    document["activations_of_a_layer"] = toJson(activations);
  for (const HeldLayers &held : a.firstStage)
    document["layers_held_by_the_first_stage"].push_back({{"schedule", held.schedule},
                                                          {"formula", held.formula},
                                                          {"by_formula", held.byFormula},
                                                          {"counted", held.counted}});
  for (const ExchangeRow &row : exchangesOf(a))
    document["elements_a_layer_exchanges"].push_back(toJson(row));
  if (const std::optional<Efficiency> efficiency = efficiencyOf(a)) {
    json moved = json::array();
    for (const MovedBytes &each : efficiency->moved)
      moved.push_back(toJson(each));
    document["efficiency"] = {{"peak_flop_per_second", efficiency->peak}, {"moved", std::move(moved)}};
  }
  return document;
}

} // namespace windlass::analysis
