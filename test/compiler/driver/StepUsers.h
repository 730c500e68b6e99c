// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepUsers.h - who uses what a transfer brings =======================//
//
// Duty: a training step of a plan, unrolled, with the order its waits prove and the flow of bytes:
// the first launch that reads what a transfer brought, through any further hops, and the launch
// that made what a transfer carries.
// Ownership: keeps pointers into the plan. Threads: const after construction.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/check/Timeline.h"
#include <map>
#include <optional>
#include <vector>

namespace windlass::test {

class StepUsers {
public:
  explicit StepUsers(const plan::Plan &plan);

  std::span<const plan::Event> events() const { return timeline.events(); }
  bool isOrdered(uint32_t before, uint32_t after) const { return timeline.isOrdered(before, after); }

  /// Of a transfer: the first launch of the same section run that reads what it brought.
  std::optional<uint32_t> firstUser(uint32_t event) const { return users[event]; }
  /// Of a transfer: the last launch that wrote what it carries, before any hops.
  std::optional<uint32_t> producer(uint32_t event) const { return producers[event]; }
  /// The launch that stands before this one on its lane.
  std::optional<uint32_t> launchBefore(uint32_t launch) const { return previous[launch]; }

private:
  /// Bytes [begin, end) of a buffer, and who wrote them last.
  struct Piece {
    int64_t begin = 0, end = 0;
    uint32_t writer = 0;
  };

  void read(uint32_t event, const plan::Operand &operand, int64_t end);
  void write(uint32_t event, const plan::Operand &operand, int64_t end);

  plan::Timeline timeline;
  std::map<uint32_t, std::vector<Piece>> pieces; ///< by buffer, while the constructor runs
  std::vector<std::vector<uint32_t>> readers;    ///< per event, in order
  std::vector<std::optional<uint32_t>> users, producers, previous;
};

} // namespace windlass::test
