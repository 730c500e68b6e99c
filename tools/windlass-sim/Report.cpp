// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-sim/Report.h"

#include "model/RateOrigins.h"
#include "runtime/base/Counted.h"
#include "tools/windlass-sim/Table.h"
#include <cmath>

namespace windlass::sim {
namespace {

using json = nlohmann::ordered_json;
using model::FlopUse;
using model::LaneUse;
using model::LinkUse;
using model::Machine;
using model::StepReport;
using model::TierUse;

std::string wordOf(plan::Lane lane) { return std::string(plan::textOf(lane)); }
std::string wordOf(plan::Tier tier) { return std::string(plan::textOf(tier)); }
std::string line(const char *title, const std::string &text) {
  std::string begin = title;
  begin.resize(14, ' ');
  return begin + text + "\n";
}

std::string throughput(const StepReport &report) {
  auto perSecond = [](double count, const char *noun) {
    return formatCount(std::llround(count)) + " " + noun + "/s";
  };
  const std::string examples = report.examplesPerSecond < 100
                                   ? formatRate(report.examplesPerSecond, "examples")
                                   : perSecond(report.examplesPerSecond, "examples");
  return report.tokensPerSecond > 0 ? perSecond(report.tokensPerSecond, "tokens") + ", " + examples
                                    : examples;
}

std::string matmuls(const plan::Plan &plan, const StepReport &report) {
  const FlopUse &flops = report.flops;
  const double ranks = static_cast<double>(plan.ranks()), seconds = report.prediction.stepSeconds;
  std::string text = formatRate(flops.model / ranks / seconds, "FLOP") + " a rank of the model, " +
                     percent(flops.modelShare) + " of the peak";
  if (flops.computed > flops.model)
    text += "; with what is repeated " + formatRate(flops.computed / ranks / seconds, "FLOP") + ", " +
            percent(flops.computedShare);
  return text;
}

std::string laneTable(const StepReport &report) {
  Table table({"lane", "instructions", "busy", "of the step", "bytes", "while busy"});
  for (const LaneUse &lane : report.lanes)
    table.add({wordOf(lane.lane), formatCount(lane.instructions), formatSeconds(lane.busy),
               percent(lane.busy / report.prediction.stepSeconds), formatBytes(std::llround(lane.bytes)),
               lane.busy > 0 && lane.bytes > 0 ? formatRate(lane.bytes / lane.busy, "B") : ""});
  return table.text();
}

std::string linkTable(const Machine &machine, const StepReport &report) {
  Table table({"link", "rate", "its bytes take", "of the step"});
  for (const LinkUse &link : report.links)
    table.add({std::string(model::ratePath(link.rate)), formatRate(machine.rate(link.rate).perSecond, "B"),
               formatSeconds(link.seconds), percent(link.seconds / report.prediction.stepSeconds)});
  return table.text();
}

/// Calls `visit` for every rate that the machine has.
template <typename Visit> void forEachRate(const Machine &machine, Visit visit) {
  for (size_t i = 0; i < model::kRates; ++i)
    if (machine.rates[i].perSecond > 0)
      visit(static_cast<model::RateId>(i));
}

/// A table of the rates behind the seconds, with their origins.
std::string rateTable(const Machine &machine) {
  Table table({"rate", "a second, and where it comes from", ""});
  forEachRate(machine, [&](model::RateId id) {
    const std::string rate = formatRate(machine.rate(id).perSecond, model::rateUnit(id));
    table.add({std::string(model::ratePath(id)), rate + ": " + machine.sourceOf(id)});
  });
  return table.text();
}

std::string tierTable(const StepReport &report) {
  Table table({"tier", "planned", "most live", "capacity", "full"});
  for (const TierUse &tier : report.tiers)
    table.add(
        {wordOf(tier.tier), formatBytes(tier.planned), formatBytes(tier.mostLive), formatBytes(tier.capacity),
         tier.shortBy() > 0  ? "short by " + formatBytes(tier.shortBy())
         : tier.capacity > 0 ? percent(static_cast<double>(tier.planned) / static_cast<double>(tier.capacity))
                             : ""});
  return table.text();
}

} // namespace

std::string describe(const plan::Plan &plan, const Machine &machine, const StepReport &report) {
  const plan::Prediction &step = report.prediction;
  std::string text = line("plan", plan.model + ": " + counted(plan.parameters, "parameter") + ", " +
                                      counted(plan.layers, "layer") + ", " + counted(plan.ranks(), "rank")) +
                     line("machine", machine.name + " (" + model::originsText(machine) + ")") +
                     line("step", formatSeconds(step.stepSeconds) + ", bound by " + step.boundBy +
                                      "; no order of these instructions takes less than " +
                                      formatSeconds(report.boundSeconds)) +
                     line("throughput", throughput(report));
  if (report.flops.computed > 0)
    text += line("matmuls", matmuls(plan, report));
  if (report.transferSeconds > 0)
    text += line("transfers", formatSeconds(report.transferSeconds) + " on all lanes together, " +
                                  formatSeconds(report.exposedSeconds) +
                                  " of the step with a transfer under way and no kernel");
  for (const std::string &table :
       {laneTable(report), linkTable(machine, report), tierTable(report), rateTable(machine)})
    text += table.empty() ? "" : "\n" + table;
  return text;
}

json toJson(const plan::Plan &plan, const Machine &machine, const StepReport &report) {
  const plan::Prediction &step = report.prediction;
  json lanes = json::array(), links = json::array(), tiers = json::array(), rates = json::array();
  forEachRate(machine, [&](model::RateId id) {
    rates.push_back({{"rate", model::ratePath(id)},
                     {"per_second", machine.rate(id).perSecond},
                     {"from", machine.sourceOf(id)}});
  });
  for (const LaneUse &lane : report.lanes)
    lanes.push_back({{"lane", wordOf(lane.lane)},
                     {"instructions", lane.instructions},
                     {"busy_seconds", lane.busy},
                     {"bytes", lane.bytes}});
  for (const LinkUse &link : report.links)
    links.push_back({{"link", model::ratePath(link.rate)},
                     {"bytes_per_second", machine.rate(link.rate).perSecond},
                     {"seconds_at_rate", link.seconds}});
  for (const TierUse &tier : report.tiers)
    tiers.push_back({{"tier", wordOf(tier.tier)},
                     {"planned_bytes", tier.planned},
                     {"most_live_bytes", tier.mostLive},
                     {"capacity_bytes", tier.capacity},
                     {"short_by_bytes", tier.shortBy()}});
  return {{"format", "windlass.simulation/1"},
          {"model", plan.model},
          {"parameters", plan.parameters},
          {"layers", plan.layers},
          {"ranks", plan.ranks()},
          {"machine", machine.name},
          {"declared_rates", step.declaredRates},
          {"fits", report.fits()},
          {"step_seconds", step.stepSeconds},
          {"bound_by", step.boundBy},
          {"bound_seconds", report.boundSeconds},
          {"examples_per_second", report.examplesPerSecond},
          {"tokens_per_second", report.tokensPerSecond},
          {"model_flop", report.flops.model},
          {"computed_flop", report.flops.computed},
          {"model_flop_utilisation", report.flops.modelShare},
          {"computed_flop_utilisation", report.flops.computedShare},
          {"transfer_seconds", report.transferSeconds},
          {"hidden_transfer_seconds", report.hiddenSeconds},
          {"exposed_seconds", report.exposedSeconds},
          {"lanes", std::move(lanes)},
          {"links", std::move(links)},
          {"tiers", std::move(tiers)},
          {"rates", std::move(rates)}};
}

} // namespace windlass::sim
