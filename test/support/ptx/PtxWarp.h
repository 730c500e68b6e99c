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
  /// Slots get their values, and every lane with a thread begins.
  void begin(const Kernel &kernel, uint32_t number, uint32_t block, uint32_t blocks,
             std::span<const uint64_t> variables);
  /// A group goes on at `place`, with others that are there.
  void moveTo(size_t group, uint32_t place);
  /// Lanes of a group part from it and go on at `place`.
  void split(size_t group, uint32_t mask, uint32_t place);
  /// Lanes of a group end.
  void end(size_t group, uint32_t mask);

  uint32_t number = 0;
  uint32_t ended = 0; ///< lanes
  std::vector<Lanes> slots;
  std::vector<uint32_t> made; ///< per slot, the lanes in which it has a value
  std::vector<Group> groups;
};

} // namespace windlass::ptx
