// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/MeshTransport.h"
#include "runtime/plan/InstructionTable.h"
#include <algorithm>

namespace windlass {

Result<MeshTransport> MeshTransport::create(const plan::Plan &plan, const MakeGroup &make) {
  MeshTransport mesh;
  for (const plan::Section &section : plan.sections)
    for (const plan::Instruction &instruction : section.instructions)
      if (plan::isCollective(instruction.op))
        WINDLASS_TRY(mesh.add(plan, instruction, make));
  return mesh;
}

const MeshTransport::Communicator *MeshTransport::find(plan::Lane lane, plan::Axes axes) const {
  auto found = std::ranges::find_if(communicators, [&](const Communicator &known) {
    return known.lane == lane && std::ranges::equal(known.axes, axes);
  });
  return found == communicators.end() ? nullptr : &*found;
}

Status MeshTransport::add(const plan::Plan &plan, const plan::Instruction &collective,
                          const MakeGroup &make) {
  const plan::Axes axes = collective.axes;
  if (find(collective.lane, axes))
    return Status::ok();
  Communicator &fresh = communicators.emplace_back();
  fresh.lane = collective.lane;
  fresh.axes = axes;
  for (int64_t group = 0; group < plan.ranks() / groupRanks(plan, axes); ++group) {
    Result<std::unique_ptr<Transport>> made = make(collective.lane, membersOf(plan, axes, group));
    if (!made)
      return made.status();
    fresh.groups.push_back(made.take());
  }
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    fresh.members.push_back({fresh.groups[groupOf(plan, axes, rank)].get(), placeInGroup(plan, axes, rank)});
  return Status::ok();
}

MeshTransport::Member MeshTransport::at(plan::Lane lane, plan::Axes axes, int64_t rank) const {
  const Communicator *known = find(lane, axes);
  return known ? known->members[static_cast<size_t>(rank)] : Member();
}

void MeshTransport::abort() {
  for (const Communicator &communicator : communicators)
    for (const std::unique_ptr<Transport> &group : communicator.groups)
      group->abort();
}

} // namespace windlass
