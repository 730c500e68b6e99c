// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/report/TraceFile.h"

#include "runtime/base/File.h"
#include "runtime/plan/Layout.h"
#include "runtime/wire/FrameLine.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

using nlohmann::json;
using plan::Lane;

const plan::Instruction *instructionOf(const plan::Plan &plan, const TraceEvent &event) {
  const std::vector<plan::Section> &sections = programOf(plan, event.rank).sections;
  if (event.section >= sections.size())
    return nullptr;
  const std::vector<plan::Instruction> &instructions = sections[event.section].instructions;
  return event.instruction < instructions.size() ? &instructions[event.instruction] : nullptr;
}

std::vector<TraceEvent> byStart(std::span<const TraceEvent> events) {
  std::vector<TraceEvent> sorted(events.begin(), events.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const TraceEvent &a, const TraceEvent &b) { return a.start < b.start; });
  return sorted;
}

/// Tracks of one rank. Viewers want the slices of a track not to overlap, but an
/// NVMe lane has several in flight: each overlapping slice goes one track deeper.
class Tracks {
public:
  int64_t place(Lane lane, const TraceEvent &event) {
    std::vector<double> &ends = endsOf[lane];
    size_t depth = 0;
    while (depth < ends.size() && ends[depth] > event.start)
      ++depth;
    ends.resize(std::max(ends.size(), depth + 1));
    ends[depth] = event.end;
    return static_cast<int64_t>(lane) * 64 + static_cast<int64_t>(depth);
  }
  const std::map<Lane, std::vector<double>> &lanes() const { return endsOf; }

private:
  std::map<Lane, std::vector<double>> endsOf;
};

json slice(const plan::Plan &plan, const plan::Instruction &instruction, const TraceEvent &event,
           int64_t track) {
  json arguments = {{"section", programOf(plan, event.rank).sections[event.section].name},
                    {"micro_batch", event.microBatch},
                    {"instruction", event.instruction},
                    {"function", instruction.origin.function},
                    {"phase", plan::textOf(instruction.origin.phase)}};
  if (instruction.bytesMoved > 0)
    arguments["bytes"] = instruction.bytesMoved;
  const std::string name =
      instruction.origin.what.empty() ? std::string(plan::textOf(instruction.op)) : instruction.origin.what;
  json shown = {{"ph", "X"},
                {"name", name},
                {"cat", plan::textOf(instruction.op)},
                {"pid", event.rank},
                {"tid", track},
                {"ts", event.start * 1e6},
                {"dur", (event.end - event.start) * 1e6},
                {"args", arguments}};
  if (event.work > 0)
    shown["tdur"] = event.work * 1e6;
  return shown;
}

json nameEvent(const char *kind, int64_t rank, int64_t track, const std::string &name) {
  return {{"ph", "M"}, {"name", kind}, {"pid", rank}, {"tid", track}, {"args", {{"name", name}}}};
}

/// Disjoint and sorted.
using Spans = std::vector<std::pair<double, double>>;

void addToUnion(Spans &spans, double begin, double end) {
  if (!spans.empty() && begin <= spans.back().second)
    spans.back().second = std::max(spans.back().second, end);
  else
    spans.emplace_back(begin, end);
}

double overlap(const Spans &spans, double begin, double end) {
  double seconds = 0;
  auto span = std::lower_bound(spans.begin(), spans.end(), begin,
                               [](const std::pair<double, double> &s, double at) { return s.second < at; });
  for (; span != spans.end() && span->first < end; ++span)
    seconds += std::max(0.0, std::min(end, span->second) - std::max(begin, span->first));
  return seconds;
}

} // namespace

static_assert(kEventsAtOnce * sizeof(TraceEvent) < FrameLine::kMostBytes / 2, "a message holds a part");

Result<std::vector<TraceEvent>> gatherTrace(std::span<const TraceEvent> mine, JobProcess &job,
                                            size_t atOnce) {
  Result<std::vector<std::string>> sizes = job.exchange(Packing().add(mine.size()).take());
  if (!sizes)
    return sizes.status();
  size_t most = 0, total = 0; // of one process, of all
  for (const std::string &each : *sizes) {
    const auto size = Unpacking(each).get<size_t>();
    most = std::max(most, size);
    total += size;
  }
  std::vector<TraceEvent> all;
  all.reserve(job.isFirst() ? total : 0);
  for (size_t at = 0; at < most; at += atOnce) { // all processes take part in every round
    const size_t begin = std::min(at, mine.size()), end = std::min(at + atOnce, mine.size());
    Result<std::vector<std::string>> parts =
        job.gather(Packing().addList(mine.subspan(begin, end - begin)).take());
    if (!parts)
      return parts.status();
    for (const std::string &each : *parts) {
      const std::vector<TraceEvent> events = Unpacking(each).getList<TraceEvent>();
      all.insert(all.end(), events.begin(), events.end());
    }
  }
  return all;
}

Status writeTrace(const std::string &path, const plan::Plan &plan, std::span<const TraceEvent> events) {
  std::map<int64_t, Tracks> ranks;
  json list = json::array();
  for (const TraceEvent &event : byStart(events))
    if (const plan::Instruction *instruction = instructionOf(plan, event))
      list.push_back(slice(plan, *instruction, event, ranks[event.rank].place(instruction->lane, event)));
  for (const auto &[rank, tracks] : ranks) {
    list.push_back(nameEvent("process_name", rank, 0, "rank " + std::to_string(rank)));
    for (const auto &[lane, depths] : tracks.lanes())
      for (size_t depth = 0; depth < depths.size(); ++depth)
        list.push_back(nameEvent(
            "thread_name", rank, static_cast<int64_t>(lane) * 64 + static_cast<int64_t>(depth),
            std::string(plan::textOf(lane)) + (depth > 0 ? " (" + std::to_string(depth + 1) + ")" : "")));
  }
  const std::string text = json{{"traceEvents", std::move(list)}, {"displayTimeUnit", "ms"}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
  const Status written = writeFileAtomically(path, text);
  return written.isOk() ? written : Status::runFailed(written.message());
}

HiddenShare hiddenTransfers(const plan::Plan &plan, std::span<const TraceEvent> events) {
  const std::vector<TraceEvent> sorted = byStart(events);
  std::map<int64_t, Spans> computing;
  for (const TraceEvent &event : sorted)
    if (const plan::Instruction *instruction = instructionOf(plan, event))
      if (instruction->op == plan::Opcode::Launch)
        addToUnion(computing[event.rank], event.start, event.end);
  HiddenShare hidden;
  double hiddenSeconds = 0;
  for (const TraceEvent &event : sorted) {
    const plan::Instruction *instruction = instructionOf(plan, event);
    if (!instruction || instruction->lane == Lane::Compute || instruction->lane == Lane::HostCompute)
      continue;
    hidden.transferSeconds += event.end - event.start;
    hiddenSeconds += overlap(computing[event.rank], event.start, event.end);
  }
  hidden.share = hidden.transferSeconds > 0 ? hiddenSeconds / hidden.transferSeconds : 0;
  return hidden;
}

} // namespace windlass
