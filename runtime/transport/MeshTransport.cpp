#include "runtime/transport/MeshTransport.h"
#include "runtime/plan/InstructionTable.h"
#include <algorithm>

namespace windlass {

Result<MeshTransport> MeshTransport::create(const plan::Plan &plan, const MakeGroup &make) {
  MeshTransport mesh;
  for (const plan::Section &section : plan.sections)
    for (const plan::Instruction &instruction : section.instructions)
      if (plan::isCollective(instruction.op))
        WINDLASS_TRY(mesh.add(plan, instruction.axes, make));
  return mesh;
}

Status MeshTransport::add(const plan::Plan &plan, plan::Axes axes, const MakeGroup &make) {
  if (std::ranges::any_of(communicators,
                          [&](const Communicator &known) { return std::ranges::equal(known.axes, axes); }))
    return Status::ok();
  Communicator &fresh = communicators.emplace_back();
  fresh.axes = axes;
  for (int64_t group = 0; group < plan.ranks() / groupRanks(plan, axes); ++group) {
    Result<std::unique_ptr<Transport>> made = make(membersOf(plan, axes, group));
    if (!made)
      return made.status();
    fresh.groups.push_back(made.take());
  }
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    fresh.members.push_back({fresh.groups[groupOf(plan, axes, rank)].get(), placeInGroup(plan, axes, rank)});
  return Status::ok();
}

MeshTransport::Member MeshTransport::at(plan::Axes axes, int64_t rank) const {
  for (const Communicator &communicator : communicators)
    if (std::ranges::equal(communicator.axes, axes))
      return communicator.members[static_cast<size_t>(rank)];
  return {};
}

void MeshTransport::abort() {
  for (const Communicator &communicator : communicators)
    for (const std::unique_ptr<Transport> &group : communicator.groups)
      group->abort();
}

} // namespace windlass
