// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"

#include <algorithm>

namespace windlass::plan {

bool runsOver(Axes axes, size_t axis) {
  return axes.empty() || std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis)) != axes.end();
}

int64_t groupRanks(const Plan &plan, Axes axes) {
  int64_t ranks = 1;
  for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
    ranks *= runsOver(axes, axis) ? plan.mesh[axis].size : 1;
  return ranks;
}

int64_t groupOf(const Plan &plan, Axes axes, int64_t rank) {
  int64_t number = 0, weight = 1;
  for (size_t axis = plan.mesh.size(); axis-- > 0; rank /= plan.mesh[axis].size)
    if (!runsOver(axes, axis)) {
      number += rank % plan.mesh[axis].size * weight;
      weight *= plan.mesh[axis].size;
    }
  return number;
}

int64_t placeInGroup(const Plan &plan, Axes axes, int64_t rank) {
  if (axes.empty())
    return rank;
  const std::vector<int64_t> coordinates = meshCoordinates(plan, rank);
  int64_t place = 0;
  for (int64_t axis : axes)
    place = place * plan.mesh[static_cast<size_t>(axis)].size + coordinates[static_cast<size_t>(axis)];
  return place;
}

bool crossesPrograms(const Plan &plan, Axes axes) {
  for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
    if (plan.mesh[axis].kind == AxisKind::Pipeline && plan.mesh[axis].size > 1 && runsOver(axes, axis))
      return true;
  return false;
}

bool areDataAxes(const Plan &plan, Axes axes) {
  for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
    if (plan.mesh[axis].size > 1 && runsOver(axes, axis) != (plan.mesh[axis].kind == AxisKind::Data))
      return false;
  return true;
}

int64_t dataRanks(const Plan &plan) {
  int64_t ranks = 1;
  for (const MeshAxis &axis : plan.mesh)
    ranks *= axis.kind == AxisKind::Data ? axis.size : 1;
  return ranks;
}

int64_t dataPlace(const Plan &plan, int64_t rank) {
  int64_t place = 0, weight = 1;
  for (size_t axis = plan.mesh.size(); axis-- > 0; rank /= plan.mesh[axis].size)
    if (plan.mesh[axis].kind == AxisKind::Data) {
      place += rank % plan.mesh[axis].size * weight;
      weight *= plan.mesh[axis].size;
    }
  return place;
}

bool speaksForItsPlace(const Plan &plan, int64_t rank) {
  for (size_t axis = plan.mesh.size(); axis-- > 0; rank /= plan.mesh[axis].size)
    if (plan.mesh[axis].kind == AxisKind::Tensor && rank % plan.mesh[axis].size != 0)
      return false;
  return true;
}

int64_t groupSpan(const Plan &plan, Axes axes) {
  int64_t span = 1, covered = 1;
  for (size_t axis = plan.mesh.size(); axis-- > 0;) {
    covered *= plan.mesh[axis].size;
    span = runsOver(axes, axis) ? covered : span;
  }
  return span;
}

std::vector<int64_t> membersOf(const Plan &plan, Axes axes, int64_t group) {
  std::vector<int64_t> members;
  for (int64_t rank = 0; rank < plan.ranks(); ++rank)
    if (groupOf(plan, axes, rank) == group)
      members.push_back(rank);
  std::ranges::sort(members, {}, [&](int64_t rank) { return placeInGroup(plan, axes, rank); });
  return members;
}

std::string nameOfAxes(const Plan &plan, Axes axes) {
  std::string name;
  for (size_t i = 0; i < (axes.empty() ? plan.mesh.size() : axes.size()); ++i)
    name += (i == 0 ? "" : " x ") + plan.mesh[axes.empty() ? i : static_cast<size_t>(axes[i])].name;
  return name;
}

} // namespace windlass::plan
