// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Layout.h - small questions everybody asks of a plan ===================//
//
// Duty: where an operand lies on a rank, how an instruction touches it, which
// ordinal it has.
// All ask for a well-formed plan (WellFormed.h).
// Units: bytes from the arena's start; ordinals count from 1.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Enums.h"
#include "runtime/plan/Plan.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::plan {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A rank's place on the mesh, one coordinate per axis; the last axis varies fastest.
std::vector<int64_t> meshCoordinates(const Plan &plan, int64_t rank);

/// Where an operand begins on a rank, from its arena's start; of slots in the first.
int64_t arenaOffset(const Plan &plan, const Program &program, const Operand &operand, int64_t rank);
/// The same, from its buffer's start.
int64_t bufferOffset(const Plan &plan, const Operand &operand, int64_t rank);
/// How far behind that the slot of a micro-batch begins.
int64_t slotOffset(const Program &program, const Operand &operand, int64_t microBatch);
/// True where the operand lies elsewhere on another rank.
bool dependsOnRank(const Plan &plan, const Operand &operand);

/// The program that serves a rank.
const Program &programOf(const Plan &plan, int64_t rank);

Tier tierOf(const Program &program, const Operand &operand);

/// True where a rank of the program has the operand's buffer: every rank, or those at its owner's place.
bool isHeld(const Plan &plan, const Program &program, const Operand &operand, int64_t rank);
/// True where a rank of the program executes an instruction: all do, but where an operand has an owner only
/// those at its place do. Collectives are everybody's.
bool executes(const Plan &plan, const Program &program, const Instruction &instruction, int64_t rank);
/// The owner of a collective's shard, which is its place in the group; kEveryRank where each rank has its
/// own.
int64_t rootOf(const Program &program, const Instruction &collective);
/// True where some buffer has an owner.
bool hasOwners(const Program &program);
/// An owner, for people: "rank 2", or "data rank 2" where several ranks are at that place.
std::string nameOfOwner(const Plan &plan, int64_t owner);

/// How an instruction touches one of its operands: from the table, or from its kernel.
Access accessOf(const Plan &plan, const Instruction &instruction, size_t operand);
inline bool reads(Access access) { return access == Access::Read || access == Access::ReadWrite; }
inline bool writes(Access access) { return access != Access::Read; }

/// Calls visit(state) for those of every program.
template <typename Visit> void forEachState(const Plan &plan, Visit visit) {
  for (const Program &program : plan.programs)
    std::ranges::for_each(program.states, visit);
}

/// The arena of a tier; null where the program has none.
const Arena *arenaOf(const Program &program, Tier tier);

/// Bytes of an arena, from its start.
struct ByteSpan {
  int64_t begin = 0, end = 0;
  int64_t bytes() const { return end - begin; }
};
/// Bytes of a chunk of a sum over so many ranks that is staged in `bytes`, which have a chunk of each other
/// rank side by side, each from a multiple of 256 on; 0: they are too few.
int64_t stagedChunk(int64_t bytes, int64_t ranks);

/// The part of the host's arena that transfers over the disk read and write: staging buffers, which lie above
/// what rests on the host and take turns. It is all that is pinned for them. Empty where nothing is on a
/// disk.
ByteSpan pinnedPool(const Program &program);

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// The generated kernels for a target; null where the plan has none.
const KernelFile *kernelFileFor(const Plan &plan, std::string_view target);
/// Per kernel, whether a launch on one of the lanes runs it, in any program.
std::vector<bool> launchedOn(const Plan &plan, std::initializer_list<Lane> lanes);

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Calls visit(instruction) for those of every section of every program.
template <typename Visit> void forEachInstruction(const Plan &plan, Visit visit) {
  for (const Program &program : plan.programs)
    for (const Section &section : program.sections)
      std::ranges::for_each(section.instructions, visit);
}

/// One count per lane, indexed by Lane.
using LaneCounts = std::array<uint32_t, kLanes>;

inline uint32_t &at(LaneCounts &counts, Lane lane) { return counts[static_cast<size_t>(lane)]; }
inline uint32_t at(const LaneCounts &counts, Lane lane) { return counts[static_cast<size_t>(lane)]; }

/// Each instruction's ordinal on its lane.
std::vector<uint32_t> laneOrdinals(const Section &section);
/// How many instructions each lane has.
LaneCounts laneCounts(const Section &section);
inline bool isNvmeLane(Lane lane) { return lane == Lane::NcIn || lane == Lane::NcOut; }

} // namespace windlass::plan
