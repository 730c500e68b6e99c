// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxWarp.h - 32 lanes with their registers =============================//
//
// Duty: the state of a warp: values of all slots, which of them were made, and where its
// lanes are: groups of lanes at the same instruction. Groups that meet become one again.
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
  /// Slots get what they have in every block.
  Warp(const Kernel &kernel, uint32_t number, uint32_t blocks, std::span<const uint64_t> variables);
  /// Every lane with a thread begins.
  void begin(uint32_t block);
  /// A group goes on at `place`, with others that are there.
  void moveTo(size_t group, uint32_t place) {
    groups[group].place = place;
    groups[group].state = Group::State::Runs;
    if (groups.size() > 1)
      join(group);
  }
  /// Lanes of a group part from it and go on at `place`.
  void split(size_t group, uint32_t mask, uint32_t place);
  /// Lanes of a group end.
  void end(size_t group, uint32_t mask);

  uint32_t number = 0;
  uint32_t ended = 0; ///< lanes
  std::vector<Lanes> slots;
  std::vector<uint32_t> made; ///< per slot, the lanes in which it has a value
  std::vector<Group> groups;

private:
  /// With others that are at its place.
  void join(size_t group);

  std::vector<uint32_t> given;        ///< what `made` begins with
  std::vector<size_t> numbersOfBlock; ///< slots that hold it
  uint32_t present;                   ///< lanes with a thread
};

} // namespace windlass::ptx
