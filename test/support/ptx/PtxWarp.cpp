// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/ptx/PtxWarp.h"

#include <algorithm>

namespace windlass::ptx {
namespace {

/// The bits of a value that a register of a width holds.
uint64_t fit(uint64_t value, unsigned bits) {
  return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

} // namespace

Warp::Warp(const Kernel &kernel, uint32_t warp, uint32_t blocks, std::span<const uint64_t> variables)
    : number(warp), slots(kernel.slots.size()), given(kernel.slots.size()) {
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    const Slot &info = kernel.slots[slot];
    if (info.holds == Slot::Holds::Register)
      continue;
    given[slot] = ~0u;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      uint64_t value = info.value;
      switch (info.holds) {
      case Slot::Holds::Register:
      case Slot::Holds::Literal:
        break;
      case Slot::Holds::ThreadId:
        value = warp * kLanes + lane;
        break;
      case Slot::Holds::BlockThreads:
        value = kernel.threads;
        break;
      case Slot::Holds::BlockId: // begin() sets it
        break;
      case Slot::Holds::GridBlocks:
        value = blocks;
        break;
      case Slot::Holds::Lane:
        value = lane;
        break;
      case Slot::Holds::Variable:
        value = variables[info.value];
        break;
      }
      slots[slot][lane] = fit(value, info.bits);
    }
    if (info.holds == Slot::Holds::BlockId)
      numbersOfBlock.push_back(slot);
  }
  const uint32_t threads = std::min<uint32_t>(kernel.threads - warp * kLanes, kLanes);
  present = threads == kLanes ? ~0u : (1u << threads) - 1;
}

void Warp::begin(uint32_t block) {
  for (size_t slot : numbersOfBlock)
    slots[slot].fill(block);
  made = given;
  ended = 0;
  groups = {{0, present}};
}

void Warp::join(size_t group) {
  for (size_t other = 0; other < groups.size(); ++other)
    if (other != group && groups[other].place == groups[group].place) {
      groups[other].mask |= groups[group].mask;
      groups[other].state = Group::State::Runs; // a waiting group checks again which lanes have arrived
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group));
      return;
    }
}

void Warp::split(size_t group, uint32_t mask, uint32_t place) {
  groups[group].mask &= ~mask;
  groups.push_back({place, mask});
  moveTo(groups.size() - 1, place);
}

void Warp::end(size_t group, uint32_t mask) {
  ended |= mask;
  groups[group].mask &= ~mask;
  if (groups[group].mask == 0)
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group));
}

} // namespace windlass::ptx
