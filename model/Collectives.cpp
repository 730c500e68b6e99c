// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of collectives on a machine with nodes: the part of Machine.h on groups of ranks.
#include "model/Machine.h"

#include <algorithm>
#include <bit>

namespace windlass::model {
namespace {

/// The number of nodes of a group, and of its ranks in each; and who holds the bytes of a collective.
struct Spread {
  int64_t nodes = 1, inNode = 1;
  Holders holders = Holders::All;
};

/// The spread of a group. A group that does not align with nodes counts as having one rank per node.
Spread spreadOf(const Machine &machine, const RankGroup &group, Holders holders) {
  if (!machine.crossesNodes(group))
    return {1, group.ranks, holders};
  const int64_t stride = group.span / group.ranks;
  if (group.span % machine.ranksPerNode == 0 && machine.ranksPerNode % stride == 0)
    return {group.span / machine.ranksPerNode, machine.ranksPerNode / stride, holders};
  // A node may hold the first or the last of a group alone.
  const bool isDense = stride < machine.ranksPerNode;
  return {isDense ? std::min(group.ranks, (group.span - stride) / machine.ranksPerNode + 2) : group.ranks, 1,
          holders};
}

/// The share of all bytes that comes from other places, if each of `places` has an equal part, or one of them
/// everything.
double fromElsewhere(int64_t places, Holders holders) {
  return holders == Holders::All ? static_cast<double>(places - 1) / static_cast<double>(places)
         : places > 1            ? 1
                                 : 0;
}

double atRate(double amount, double perSecond) { return perSecond > 0 ? amount / perSecond : 0; }

/// Seconds per byte of the gathered side, into each rank, from the group's `ranks` ranks on one level.
double insideSeconds(const Machine &machine, int64_t ranks, Holders holders) {
  // A rank's own piece crosses no link, but cores copy it all the same.
  const double received = machine.sharedCores > 0 ? 1.0 : fromElsewhere(ranks, holders);
  return atRate(received, machine.rate(RateId::Gg).perSecond * machine.threadSpeed());
}

/// Seconds per byte of the gathered side into each node, for all ranks of the group there; `part`: the share
/// of the bytes that enters the node.
double acrossSeconds(const Machine &machine, const Spread &spread, double part) {
  return atRate(part, static_cast<double>(spread.inNode) * machine.rate(RateId::Nodes).perSecond);
}

double startOf(const Machine &machine, const RankGroup &group) {
  return machine.crossesNodes(group) && machine.nodesLatency >= 0 ? machine.nodesLatency : machine.ggLatency;
}

/// Seconds of a collective before its first byte arrives.
double firstByte(const Machine &machine, const RankGroup &group, int64_t hopsAcross, int64_t hopsInside) {
  return startOf(machine, group) + static_cast<double>(hopsAcross) * machine.nodesHop +
         static_cast<double>(hopsInside) * machine.ggHop;
}

/// Levels of a binary tree over `places` places.
int64_t levelsOf(int64_t places) { return std::bit_width(static_cast<uint64_t>(places - 1)); }

/// The bandwidth of a tree as a share of that of a ring, as NCCL assumes (2.9, src/graph/tuning.cc:
/// `busBw*.92`).
constexpr double kTreeBandwidth = 0.92;

double ringSeconds(const Machine &machine, double bytes, const RankGroup &group, const Spread &spread) {
  const int64_t across = spread.nodes - 1;
  return firstByte(machine, group, across, group.ranks - 1 - across) +
         bytes * machine.bindingLink(group, spread.holders).secondsPerByte;
}

double treeSeconds(const Machine &machine, double bytes, const RankGroup &group, const Spread &spread) {
  return firstByte(machine, group, levelsOf(spread.nodes), levelsOf(spread.inNode)) +
         bytes * machine.bindingLink(group, spread.holders).secondsPerByte / kTreeBandwidth;
}

/// A group with one rank in each of its nodes, or in one node, has one level: the ring. So does a group that
/// does not align with nodes, where some node may hold several of its ranks.
double hierarchicalSeconds(const Machine &machine, double bytes, const RankGroup &group,
                           const Spread &spread) {
  if (spread.nodes == 1 || spread.inNode == 1)
    return ringSeconds(machine, bytes, group, spread);
  return firstByte(machine, group, spread.nodes - 1, spread.inNode - 1) +
         bytes * (acrossSeconds(machine, spread, fromElsewhere(spread.nodes, spread.holders)) +
                  insideSeconds(machine, spread.inNode, spread.holders));
}

double switchSeconds(const Machine &machine, double bytes, const RankGroup &group, const Spread &spread) {
  const int64_t upAndDown = 2;
  return firstByte(machine, group, spread.nodes > 1 ? upAndDown : 0, spread.inNode > 1 ? upAndDown : 0) +
         bytes * std::max(acrossSeconds(machine, spread, fromElsewhere(spread.nodes, spread.holders)),
                          insideSeconds(machine, group.ranks, spread.holders));
}

} // namespace

std::string_view textOf(Route route) {
  constexpr std::string_view texts[] = {"ring", "hierarchical", "tree", "switch", "fastest"};
  return texts[static_cast<size_t>(route)];
}

BindingLink Machine::bindingLink(const RankGroup &group, Holders holders) const {
  const BindingLink inside{RateId::Gg, 1, insideSeconds(*this, group.ranks, holders)};
  if (!crossesNodes(group))
    return inside;
  const Spread spread = spreadOf(*this, group, holders);
  // In a ring, pieces pass through all nodes, so that a node's own pieces enter it again.
  const double enters = fromElsewhere(route == Route::Switch ? spread.nodes : group.ranks, holders);
  const BindingLink across{RateId::Nodes, spread.inNode, acrossSeconds(*this, spread, enters)};
  return across.secondsPerByte < inside.secondsPerByte ? inside : across;
}

double Machine::collectiveSeconds(double bytes, const RankGroup &group, Holders holders) const {
  const Spread spread = spreadOf(*this, group, holders);
  auto ring = [&] { return ringSeconds(*this, bytes, group, spread); };
  auto tree = [&] { return treeSeconds(*this, bytes, group, spread); };
  auto levels = [&] { return hierarchicalSeconds(*this, bytes, group, spread); };
  switch (route) {
  case Route::Ring:
    return ring();
  case Route::Hierarchical:
    return levels();
  case Route::Tree:
    return tree();
  case Route::Switch:
    return switchSeconds(*this, bytes, group, spread);
  case Route::Fastest:
    return std::min({ring(), tree(), levels()});
  }
  return ring();
}

} // namespace windlass::model
