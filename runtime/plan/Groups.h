// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Groups.h - which ranks a collective or a cut runs over ================//
//
// Duty: the ranks of a mesh seen along some of its axes. A group over axes A is the ranks that agree in
// every other axis; its members are numbered by their coordinates in A, the last axis of A fastest: in rank
// order, where A is in the order of the mesh. No axes: all of them, one group of every rank.
// All ask for a well-formed plan (WellFormed.h).
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace windlass::plan {

using Axes = std::span<const int64_t>;

/// Whether an axis of the mesh is one of these.
bool runsOver(Axes axes, size_t axis);

/// Members of each group.
int64_t groupRanks(const Plan &plan, Axes axes);
/// Which of the groups over these axes a rank is in, from 0.
int64_t groupOf(const Plan &plan, Axes axes, int64_t rank);
/// A rank's place in its group.
int64_t placeInGroup(const Plan &plan, Axes axes, int64_t rank);
/// Groups lie within as many consecutive ranks each, the first at rank 0.
int64_t groupSpan(const Plan &plan, Axes axes);

/// Whether groups over these axes have ranks of several stages, and so of several programs.
bool crossesPrograms(const Plan &plan, Axes axes);

/// Whether axes are those of data, whatever they say of axes of one rank.
bool areDataAxes(const Plan &plan, Axes axes);
/// Ranks along the data axes: each has examples of its own in a micro-batch. Ranks that differ along other
/// axes alone have the same.
int64_t dataRanks(const Plan &plan);
/// Which of the data ranks a rank is, in rank order.
int64_t dataPlace(const Plan &plan, int64_t rank);
/// Whether a rank is the one whose loss counts for its data place, of those that share out operations.
bool speaksForItsPlace(const Plan &plan, int64_t rank);

/// The ranks of one group, by place.
std::vector<int64_t> membersOf(const Plan &plan, Axes axes, int64_t group);

/// "dp_shard", "dp_shard x dp_replicate"; all axes without any.
std::string nameOfAxes(const Plan &plan, Axes axes);

} // namespace windlass::plan
