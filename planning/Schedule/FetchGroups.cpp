// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Schedule/FetchGroups.h"

#include <algorithm>

namespace windlass::planning {

std::optional<Link> linkOf(plan::Lane lane) {
  switch (lane) {
  case plan::Lane::NcIn:
    return Link::Nc;
  case plan::Lane::CgIn:
    return Link::Cg;
  case plan::Lane::Gg:
  case plan::Lane::Nodes:
    return Link::Gg;
  case plan::Lane::Compute:
  case plan::Lane::CgOut:
  case plan::Lane::NcOut:
  case plan::Lane::HostCompute:
  case plan::Lane::ActOut:
  case plan::Lane::ActIn:
  case plan::Lane::GradOut:
  case plan::Lane::GradIn:
    return std::nullopt;
  }
  return std::nullopt;
}

std::vector<uint32_t> firstUsers(const ScheduleProblem &problem) {
  std::vector<uint32_t> user(problem.tasks.size(), kNobody), first;
  for (uint32_t index = static_cast<uint32_t>(problem.tasks.size()); index-- > 0;) {
    const Task &task = problem.tasks[index];
    const uint32_t used = task.kind == TaskKind::Work ? index : user[index];
    for (uint32_t before : task.predecessors)
      user[before] = std::min(user[before], used);
    if (task.group < 0)
      continue;
    const size_t group = static_cast<size_t>(task.group);
    if (group >= first.size())
      first.resize(group + 1, kNobody);
    if (task.kind == TaskKind::Fetch)
      first[group] = std::min(first[group], user[index]);
  }
  return first;
}

} // namespace windlass::planning
