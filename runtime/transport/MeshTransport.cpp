// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/MeshTransport.h"
#include "runtime/plan/InstructionTable.h"
#include <algorithm>

namespace windlass {

Result<MeshTransport> MeshTransport::create(const plan::Plan &plan, const MakeGroup &make) {
  MeshTransport mesh;
  for (const plan::Program &program : plan.programs)
    for (const plan::Section &section : program.sections)
      for (const plan::Instruction &instruction : section.instructions)
        if (plan::isCollective(instruction.op))
          WINDLASS_TRY(mesh.addCollective(plan, instruction, make));
  for (const plan::Channel &channel : channelsOf(plan))
    WINDLASS_TRY(mesh.addPairs(plan, channel, make));
  return mesh;
}

const MeshTransport::Collectives *MeshTransport::find(plan::Lane lane, plan::Axes axes) const {
  auto found = std::ranges::find_if(communicators, [&](const Collectives &known) {
    return known.lane == lane && std::ranges::equal(known.axes, axes);
  });
  return found == communicators.end() ? nullptr : &*found;
}

Status MeshTransport::addCollective(const plan::Plan &plan, const plan::Instruction &collective,
                                    const MakeGroup &make) {
  const plan::Axes axes = collective.axes;
  if (find(collective.lane, axes))
    return Status::ok();
  Collectives &fresh = communicators.emplace_back();
  fresh.lane = collective.lane;
  fresh.axes = axes;
  for (int64_t group = 0; group < plan.ranks() / groupRanks(plan, axes); ++group) {
    std::vector<Party> parties;
    for (int64_t rank : membersOf(plan, axes, group))
      parties.push_back({rank, collective.lane});
    Result<std::unique_ptr<Transport>> made = make(parties);
    if (!made)
      return made.status();
    fresh.groups.push_back(made.take());
  }
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    fresh.members.push_back({fresh.groups[groupOf(plan, axes, rank)].get(), placeInGroup(plan, axes, rank)});
  return Status::ok();
}

Status MeshTransport::addPairs(const plan::Plan &plan, const plan::Channel &channel, const MakeGroup &make) {
  Communicator &fresh = channels.emplace_back();
  if (!channel.carriesMessages())
    return Status::ok();
  fresh.members.resize(static_cast<size_t>(plan.ranks()));
  const plan::Program &from = plan.programs[channel.programs[0]], &to = plan.programs[channel.programs[1]];
  for (int64_t sender = from.firstRank; sender <= from.lastRank(); ++sender) {
    const int64_t receiver = from.peerOf(sender, to);
    const Party parties[] = {{sender, channel.lane}, {receiver, plan::receivingLane(channel.lane)}};
    Result<std::unique_ptr<Transport>> made = make(parties);
    if (!made)
      return made.status();
    fresh.groups.push_back(made.take());
    fresh.members[static_cast<size_t>(sender)] = {fresh.groups.back().get(), 0};
    fresh.members[static_cast<size_t>(receiver)] = {fresh.groups.back().get(), 1};
  }
  return Status::ok();
}

MeshTransport::Member MeshTransport::at(plan::Lane lane, plan::Axes axes, int64_t rank) const {
  const Collectives *known = find(lane, axes);
  return known ? known->members[static_cast<size_t>(rank)] : Member();
}

void MeshTransport::abort() {
  auto abortAll = [](const Communicator &communicator) {
    for (const std::unique_ptr<Transport> &group : communicator.groups)
      if (group)
        group->abort();
  };
  std::ranges::for_each(communicators, abortAll);
  std::ranges::for_each(channels, abortAll);
}

} // namespace windlass
