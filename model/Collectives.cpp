// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a collective takes on a machine with nodes: the part of Machine.h that is about groups of ranks.
#include "model/Machine.h"

#include <algorithm>

namespace windlass::model {
namespace {

/// Where the ranks of a group are: in how many nodes, and how many of them in each.
struct Spread {
  int64_t nodes = 1, inNode = 1;
};

/// What does not line up with nodes is taken as if each node held one rank of a group alone.
Spread spreadOf(const Machine &machine, const RankGroup &group) {
  if (!machine.crossesNodes(group))
    return {1, group.ranks};
  const int64_t stride = group.span / group.ranks;
  if (group.span % machine.ranksPerNode == 0 && machine.ranksPerNode % stride == 0)
    return {group.span / machine.ranksPerNode, machine.ranksPerNode / stride};
  // A node may hold the first or the last of a group alone.
  const bool isDense = stride < machine.ranksPerNode;
  return {isDense ? std::min(group.ranks, (group.span - stride) / machine.ranksPerNode + 2) : group.ranks, 1};
}

/// The part of all bytes that comes from elsewhere, where equal parts lie in `places`.
double fromElsewhere(int64_t places) { return static_cast<double>(places - 1) / static_cast<double>(places); }

double atRate(double amount, double perSecond) { return perSecond > 0 ? amount / perSecond : 0; }

/// A byte of the gathered side into each rank of a group from the `ranks` of it on one level.
double insideSeconds(const Machine &machine, int64_t ranks) {
  // A rank's own piece crosses no link, but cores copy it all the same.
  const double received = machine.sharedCores > 0 ? 1.0 : fromElsewhere(ranks);
  return atRate(received, machine.rate(RateId::Gg).perSecond * machine.threadSpeed());
}

/// A byte of it into each node, for all ranks of the group there.
double acrossSeconds(const Machine &machine, const Spread &spread) {
  return atRate(fromElsewhere(spread.nodes),
                static_cast<double>(spread.inNode) * machine.rate(RateId::Nodes).perSecond);
}

double startOf(const Machine &machine, const RankGroup &group) {
  return machine.crossesNodes(group) && machine.nodesLatency >= 0 ? machine.nodesLatency : machine.ggLatency;
}

/// Hops between nodes, and the others, of each route.
double hopsOf(const Machine &machine, const RankGroup &group, const Spread &spread, Route route) {
  const int64_t across = spread.nodes - 1;
  const int64_t inside = route == Route::Hierarchical ? spread.inNode - 1 : group.ranks - 1 - across;
  return static_cast<double>(across) * machine.nodesHop + static_cast<double>(inside) * machine.ggHop;
}

} // namespace

std::string_view textOf(Route route) {
  constexpr std::string_view texts[] = {"ring", "hierarchical", "fastest"};
  return texts[static_cast<size_t>(route)];
}

BindingLink Machine::bindingLink(const RankGroup &group) const {
  const BindingLink inside{RateId::Gg, 1, insideSeconds(*this, group.ranks)};
  if (!crossesNodes(group))
    return inside;
  const Spread spread = spreadOf(*this, group);
  const BindingLink across{RateId::Nodes, spread.inNode, acrossSeconds(*this, spread)};
  return across.secondsPerByte < inside.secondsPerByte ? inside : across;
}

double Machine::collectiveSeconds(double bytes, const RankGroup &group) const {
  const Spread spread = spreadOf(*this, group);
  const double start = startOf(*this, group);
  const double ring =
      start + hopsOf(*this, group, spread, Route::Ring) + bytes * bindingLink(group).secondsPerByte;
  if (route == Route::Ring || spread.nodes == 1 || spread.inNode == 1)
    return ring;
  const double levels = start + hopsOf(*this, group, spread, Route::Hierarchical) +
                        bytes * (acrossSeconds(*this, spread) + insideSeconds(*this, spread.inNode));
  return route == Route::Hierarchical ? levels : std::min(ring, levels);
}

} // namespace windlass::model
