// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepUsers.h - users and producers of transfers ========================//
//
// Duty: unrolls a training step of a plan's first program, with the order that its waits prove, and follows
// bytes through transfers: from a transfer to the first launch that reads its bytes, and back to the
// instruction that made them.
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

  /// The first launch that reads the bytes of a transfer, directly or after further transfers, in the same
  /// run of a section.
  std::optional<uint32_t> firstUser(uint32_t event) const { return users[event]; }
  /// The last launch or feed that made the bytes of a transfer, directly or through earlier transfers, in the
  /// same run of a section.
  std::optional<uint32_t> producer(uint32_t event) const { return producers[event]; }
  /// The launch before this one on its lane.
  std::optional<uint32_t> launchBefore(uint32_t launch) const { return previous[launch]; }

private:
  /// Bytes [begin, end) of a buffer, and the event that wrote them last.
  struct Piece {
    int64_t begin = 0, end = 0;
    uint32_t writer = 0;
  };

  void read(uint32_t event, const plan::Operand &operand, int64_t end);
  void write(uint32_t event, const plan::Operand &operand, int64_t end);

  plan::Timeline timeline;
  std::map<uint32_t, std::vector<Piece>> pieces; ///< by buffer, while the constructor runs
  std::vector<std::vector<uint32_t>> readers;    ///< of the bytes that an event wrote, in order
  std::vector<std::optional<uint32_t>> users, producers, previous;
};

} // namespace windlass::test
