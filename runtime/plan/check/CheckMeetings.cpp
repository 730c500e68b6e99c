// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckMeetings.h"
#include "runtime/base/Counted.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/Meetings.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/plan/text/InstructionName.h"

#include <algorithm>
#include <map>

namespace windlass::plan {
namespace {

/// A program's part in a meeting.
struct Stop {
  const Instruction *instruction;
  const Section *section;
  uint32_t ordinal;   ///< on its lane in its section
  int64_t microBatch; ///< its own
  size_t channel;     ///< index into MeetingCheck::channels
};

/// The stops of one program, and how many of each channel.
struct Itinerary {
  std::vector<Stop> stops;
  std::map<size_t, std::vector<size_t>> ofChannel; ///< indices into `stops`
  size_t at = 0;                                   ///< the next that has not met
};

class MeetingCheck {
public:
  MeetingCheck(const Plan &plan, Purpose purpose, Findings &findings)
      : plan(plan), purpose(purpose), findings(findings), channels(channelsOf(plan)) {}

  void run() {
    if (channels.empty())
      return;
    for (size_t number = 0; number < plan.programs.size(); ++number)
      itineraries.push_back(itineraryOf(number));
    bool agree = true;
    for (size_t channel = 0; channel < channels.size(); ++channel)
      agree &= checkChannel(channel);
    if (agree)
      checkOrder();
  }

private:
  Itinerary itineraryOf(size_t number) const {
    Itinerary itinerary;
    const Program &program = plan.programs[number];
    for (const SectionRun &run : unroll(program, purpose)) {
      const Section &section = program.sections[run.section];
      LaneCounts counts{};
      for (const Instruction &instruction : section.instructions) {
        const uint32_t ordinal = ++at(counts, instruction.lane);
        if (!isMeeting(plan, instruction))
          continue;
        const size_t channel = indexOf(channelOf(plan, number, instruction));
        itinerary.ofChannel[channel].push_back(itinerary.stops.size());
        itinerary.stops.push_back(
            {&instruction, &section, ordinal, run.microBatch + instruction.microBatch, channel});
      }
    }
    return itinerary;
  }

  size_t indexOf(const Channel &channel) const {
    return static_cast<size_t>(std::ranges::lower_bound(channels, channel) - channels.begin());
  }

  std::string name(size_t program, const Stop &stop) const {
    std::string text = "program " + std::to_string(program) + ", section " + stop.section->name + ", " +
                       nameOf(*stop.instruction, stop.ordinal);
    if (isMessage(stop.instruction->op))
      text += " of \"" + stop.instruction->item + "\", micro-batch " + std::to_string(stop.microBatch);
    return text;
  }

  std::string place() const { return "schedule \"" + std::string(textOf(purpose)) + "\": "; }

  const std::vector<size_t> &stopsOf(size_t program, size_t channel) {
    return itineraries[program].ofChannel[channel];
  }

  /// Whether every program of a channel has the same meetings there, one after the other.
  bool checkChannel(size_t channel) {
    const size_t first = channels[channel].programs.front();
    bool agree = true;
    for (size_t other : channels[channel].programs) {
      const std::vector<size_t> &mine = stopsOf(first, channel), &theirs = stopsOf(other, channel);
      const size_t both = std::min(mine.size(), theirs.size());
      for (size_t i = 0; i < both && agree; ++i)
        agree =
            checkEnds(first, itineraries[first].stops[mine[i]], other, itineraries[other].stops[theirs[i]]);
      if (agree && mine.size() != theirs.size()) {
        const bool isMine = mine.size() > both;
        const size_t has = isMine ? first : other, lacks = isMine ? other : first;
        findings.add(place() + name(has, itineraries[has].stops[(isMine ? mine : theirs)[both]]) +
                     " waits for ever: program " + std::to_string(lacks) + " meets it there " +
                     counted(static_cast<int64_t>(both), "time"));
        agree = false;
      }
    }
    return agree;
  }

  bool checkEnds(size_t program, const Stop &stop, size_t peer, const Stop &other) {
    const Instruction &a = *stop.instruction, &b = *other.instruction;
    auto fault = [&](const std::string &rule) {
      findings.add(place() + name(program, stop) + " meets " + name(peer, other) + rule);
      return false;
    };
    if (!isMessage(a.op))
      return (a.op == b.op && a.pieceBytes == b.pieceBytes && a.type == b.type) || fault(": not the same");
    if (a.item != b.item || stop.microBatch != other.microBatch)
      return fault("");
    return a.operands[0].bytes == b.operands[0].bytes ||
           fault(": " + std::to_string(a.operands[0].bytes) + " bytes and " +
                 std::to_string(b.operands[0].bytes));
  }

  /// Whether all programs of a channel stand at a meeting there.
  bool isMet(size_t channel) const {
    return std::ranges::all_of(channels[channel].programs, [&](size_t program) {
      const Itinerary &itinerary = itineraries[program];
      return itinerary.at < itinerary.stops.size() && itinerary.stops[itinerary.at].channel == channel;
    });
  }

  /// Lets programs meet for as long as any can.
  void checkOrder() {
    for (bool any = true; any;) {
      any = false;
      for (size_t channel = 0; channel < channels.size(); ++channel)
        while (isMet(channel)) {
          for (size_t program : channels[channel].programs)
            ++itineraries[program].at;
          any = true;
        }
    }
    std::string stuck;
    for (size_t program = 0; program < itineraries.size(); ++program)
      if (const Itinerary &itinerary = itineraries[program]; itinerary.at < itinerary.stops.size())
        stuck += (stuck.empty() ? "" : "; ") + name(program, itinerary.stops[itinerary.at]);
    if (!stuck.empty())
      findings.add(place() + "programs wait for each other: " + stuck);
  }

  const Plan &plan;
  const Purpose purpose;
  Findings &findings;
  const std::vector<Channel> channels;
  std::vector<Itinerary> itineraries;
};

} // namespace

void checkMeetings(const Plan &plan, Purpose purpose, Findings &findings) {
  MeetingCheck(plan, purpose, findings).run();
}

} // namespace windlass::plan
