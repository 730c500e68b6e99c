// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxWarp.h - 32 lanes with their registers =============================//
//
// Duty: the state of a warp: the values of all slots, the lanes that have a value, and the place of the
// lanes, as groups of lanes at the same instruction. Groups that meet become one.
// Threads: one at a time.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/ptx/PtxArithmetic.h"

#include <span>

namespace windlass::ptx {

/// Lanes of a warp that are at one instruction.
struct Group {
  enum class State : uint8_t { Runs, AtBarrier, AtShuffle };
  uint32_t place, mask;
  State state = State::Runs;
};

struct Warp {
  /// Sets the slots whose values are the same in every block.
  Warp(const Kernel &kernel, uint32_t number, uint32_t blocks, std::span<const uint64_t> variables);
  /// Begins a block: every lane with a thread is at the first instruction.
  void begin(uint32_t block);
  /// A group continues at `place`, together with the groups that are there.
  void moveTo(size_t group, uint32_t place) {
    groups[group].place = place;
    groups[group].state = Group::State::Runs;
    if (groups.size() > 1)
      join(group);
  }
  /// The lanes of `mask` leave a group and continue at `place`.
  void split(size_t group, uint32_t mask, uint32_t place);
  /// The lanes of `mask` end.
  void end(size_t group, uint32_t mask);

  uint32_t number = 0;
  uint32_t ended = 0; ///< lanes that have ended
  std::vector<Lanes> slots;
  std::vector<uint32_t> made; ///< per slot, the lanes in which it has a value
  std::vector<Group> groups;

private:
  /// Joins a group with a group that is at its place.
  void join(size_t group);

  std::vector<uint32_t> given;        ///< `made` at the beginning of a block
  std::vector<size_t> numbersOfBlock; ///< the slots that hold the number of the block
  uint32_t present;                   ///< lanes with a thread
};

} // namespace windlass::ptx
