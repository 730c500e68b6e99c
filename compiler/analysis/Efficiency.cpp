// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The efficiency of a step by the links of a machine: the third part of Analysis.h; and describe().

#include "compiler/analysis/Figures.h"
#include "model/Formulas/Bandwidth.h"
#include "runtime/base/Units.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

namespace windlass::analysis {
namespace {

using llvm::formatv;

constexpr size_t kLinks = 70; ///< column

/// The rate of work whose time is `seconds(amount)`, without its fixed costs.
template <typename Seconds> double rateOf(Seconds seconds) {
  constexpr double amount = 1e15;
  double taken = seconds(amount) - seconds(0);
  return taken > 0 ? amount / taken : 0;
}

/// A link, and its rate in the slower direction, for one rank while all are busy.
struct Link {
  const char *name;
  double perRank;
  bool gathers = false; ///< every rank gets the whole over it
};

struct Links {
  Link gather, upload, disk, host;
  /// `group`: the ranks that share out the states of what they compute.
  Links(const model::Machine &m, const model::RankGroup &group)
      : gather{m.bindingLink(group).rate == model::RateId::Nodes ? "nodes" : "gg",
               rateOf([&](double bytes) { return m.collectiveSeconds(bytes, group); }), true},
        upload{"cg", std::min(rateOf([&](double bytes) { return m.uploadSeconds(bytes); }),
                              rateOf([&](double bytes) { return m.offloadSeconds(bytes); }))},
        disk{"nvme", std::min(rateOf([&](double bytes) { return m.readSeconds(bytes); }),
                              rateOf([&](double bytes) { return m.writeSeconds(bytes); }))},
        host{"host", rateOf([&](double bytes) { return m.hostKernelSeconds(bytes); })} {
    for (Link *link : {&upload, &disk, &host})
      link->perRank = std::min(link->perRank, m.throughHost());
  }
};

/// The moved values, by which equation, and over which links. Partitioned values come over the links of all
/// ranks that have a share.
struct Moved {
  const char *name, *equation;
  double intensity;
  int64_t shares;
  std::vector<Link> links;
};

MovedBytes figuresOf(const Moved &moved, double peak) {
  MovedBytes figures{moved.name,
                     moved.equation,
                     moved.intensity,
                     model::bandwidthFor(0.5, moved.intensity, peak),
                     model::bandwidthFor(0.9, moved.intensity, peak),
                     {}};
  for (const Link &link : moved.links) {
    const int64_t shares = link.gathers ? 1 : moved.shares;
    const double bandwidth = link.perRank * static_cast<double>(shares);
    figures.over.push_back(
        {link.name, shares, link.perRank, model::efficiency(moved.intensity, bandwidth, peak)});
  }
  return figures;
}

std::string describeMoved(const MovedBytes &moved) {
  std::string text;
  for (size_t i = 0; i < moved.over.size(); ++i) {
    const LinkEfficiency &link = moved.over[i];
    if (i == 0)
      text += formatv("  {0,-25}{1,-8}{2,11:F1}{3,12}{4,12}", moved.name, moved.source, moved.intensity,
                      formatRate(moved.forHalf, "B"), formatRate(moved.forNineTenths, "B"));
    else
      text += std::string(kLinks, ' ');
    text += formatv("   {0,-5}{1,4} x{2,12}{3,9:F1} %\n", link.link, link.links,
                    formatRate(link.perSecond, "B"), 100 * link.efficiency);
  }
  return text;
}

} // namespace

std::optional<Efficiency> efficiencyOf(const Analysis &a) {
  if (!a.transformer)
    return std::nullopt;
  const model::Transformer &t = a.transformer->model;
  const int64_t batch = a.transformer->batch, dataRanks = a.machine.ranks() / (a.tensorRanks * a.stages),
                shards = a.groupRanks > 0 ? a.groupRanks : dataRanks;
  // Tensor ranks share out the FLOP of a layer; unless they share out its checkpoint too, each moves all of
  // it.
  const int64_t copies = a.partitionsCheckpoints ? 1 : a.tensorRanks;
  double peak = rateOf([&](double flops) { return a.machine.matmulSeconds(flops, a.compute); });
  // Tensor ranks lie side by side.
  Links links(a.machine, {shards, shards * a.tensorRanks});
  std::vector<Link> slow = {links.upload};
  if (links.disk.perRank > 0) // a machine may have none
    slow.push_back(links.disk);
  std::vector<Link> weights = slow, states = slow;
  if (shards > 1) // one rank gathers nothing
    weights.insert(weights.begin(), links.gather);
  states.insert(states.begin(), links.host);
  Efficiency figures{peak, {}};
  const auto add = [&](const Moved &moved) { figures.moved.push_back(figuresOf(moved, peak)); };
  add({"parameters and gradients", "INF 9", model::intensityOfParametersAndGradients(t.sequence, batch),
       shards, weights});
  add({"optimizer states", "INF 10", model::intensityOfOptimizerStates(t.sequence, batch * a.microBatches),
       a.sharesRest ? dataRanks : shards, states});
  if (a.transformer->hasPapersWidths())
    add({"activation checkpoints", "INF 11",
         model::intensityOfCheckpoints(t.hidden, a.options.checkpointEvery) / static_cast<double>(copies), 1,
         slow});
  return figures;
}

std::string describeEfficiency(const Analysis &a) {
  const std::optional<Efficiency> figures = efficiencyOf(a);
  if (!figures)
    return "";
  std::string text =
      formatv("{0,-35}{1,11}{2,12}{3,12}   over\n", "efficiency, INF 6, " + formatRate(figures->peak, "FLOP"),
              "FLOP/B", "50 % from", "90 % from");
  for (const MovedBytes &moved : figures->moved)
    text += describeMoved(moved);
  return text;
}

std::string describe(const Analysis &analysis) {
  std::string text = describeInputs(analysis);
  for (auto part : {describeQuantities, describeActivations, describeFirstStage, describeExchanges,
                    describeStates, describeEfficiency})
    if (std::string table = part(analysis); !table.empty())
      text += "\n" + table;
  return text;
}

} // namespace windlass::analysis
