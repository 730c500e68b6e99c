// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Meetings.h - on which channel programs meet ===========================//
//
// Duty: what of an instruction is for several programs. Programs that exchange a kind of thing meet on one
// channel: for messages, from one program to another, activations and gradients apart; for collectives over
// ranks of several programs, a lane and its axes. On a channel meetings are told apart by their order alone.
// All ask for a well-formed plan (WellFormed.h). Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <compare>
#include <set>
#include <vector>

namespace windlass::plan {

struct Channel {
  Lane lane = Lane::Gg;         ///< of a message, the sender's
  std::vector<size_t> programs; ///< of a message, the sender and the receiver; else in order
  std::vector<int64_t> axes;    ///< of a collective

  bool carriesMessages() const { return lane == Lane::ActOut || lane == Lane::GradOut; }
  auto operator<=>(const Channel &) const = default;
};

/// Whether an instruction is a meeting of several programs.
bool isMeeting(const Plan &plan, const Instruction &instruction);

/// The channel of a meeting, in program `number`.
Channel channelOf(const Plan &plan, size_t number, const Instruction &meeting);

/// Where a message that is sent on a lane is received.
Lane receivingLane(Lane sender);

/// All channels of a plan, each once, in order.
std::vector<Channel> channelsOf(const Plan &plan);

/// The buffers that messages between stages read and write: places in Program::buffers.
std::set<size_t> buffersOfMessages(const Program &program);

} // namespace windlass::plan
