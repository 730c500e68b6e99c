// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/Meetings.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/InstructionTable.h"

#include <algorithm>

namespace windlass::plan {
namespace {

Lane sendingLane(Lane receiver) { return receiver == Lane::ActIn ? Lane::ActOut : Lane::GradOut; }

/// Programs whose ranks are in a group over the axes with those of a program.
std::vector<size_t> programsOver(const Plan &plan, const std::vector<int64_t> &axes, const Program &program) {
  std::vector<size_t> programs;
  const std::vector<int64_t> members = membersOf(plan, axes, groupOf(plan, axes, program.firstRank));
  for (size_t number = 0; number < plan.programs.size(); ++number)
    if (std::ranges::any_of(members, [&](int64_t rank) { return plan.programs[number].serves(rank); }))
      programs.push_back(number);
  return programs;
}

} // namespace

bool isMeeting(const Plan &plan, const Instruction &instruction) {
  return isMessage(instruction.op) || (isCollective(instruction.op) && plan.programs.size() > 1 &&
                                       crossesPrograms(plan, instruction.axes));
}

Channel channelOf(const Plan &plan, size_t number, const Instruction &meeting) {
  const auto peer = static_cast<size_t>(meeting.peer);
  if (meeting.op == Opcode::Send)
    return {meeting.lane, {number, peer}, {}};
  if (meeting.op == Opcode::Recv)
    return {sendingLane(meeting.lane), {peer, number}, {}};
  return {meeting.lane, programsOver(plan, meeting.axes, plan.programs[number]), meeting.axes};
}

Lane receivingLane(Lane sender) { return sender == Lane::ActOut ? Lane::ActIn : Lane::GradIn; }

std::vector<Channel> channelsOf(const Plan &plan) {
  std::set<Channel> channels;
  for (size_t number = 0; number < plan.programs.size(); ++number)
    for (const Section &section : plan.programs[number].sections)
      for (const Instruction &instruction : section.instructions)
        if (isMeeting(plan, instruction))
          channels.insert(channelOf(plan, number, instruction));
  return {channels.begin(), channels.end()};
}

std::set<size_t> buffersOfMessages(const Program &program) {
  std::set<size_t> messages;
  for (const Section &section : program.sections)
    for (const Instruction &each : section.instructions)
      if (isMessage(each.op))
        for (const Operand &operand : each.operands)
          messages.insert(operand.buffer);
  return messages;
}

} // namespace windlass::plan
