// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dump.h"
#include "ProgramTitle.h"
#include "Stages.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Layout.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace windlass::dump {

std::string waitText(const plan::Program &program, const plan::Wait &wait); // Instructions.cpp

namespace {

using namespace windlass::plan;
using model::SimulatedEvent;

constexpr size_t kColumn = 22;

std::string fitted(std::string text, size_t width) {
  if (text.size() >= width)
    text = text.substr(0, width - 2) + "~";
  return text + std::string(width - text.size(), ' ');
}

std::vector<Lane> usedLanes(const Section &section) {
  LaneCounts counts = laneCounts(section);
  std::vector<Lane> lanes;
  for (size_t lane = 0; lane < kLanes; ++lane)
    if (counts[lane])
      lanes.push_back(static_cast<Lane>(lane));
  return lanes;
}

/// "12 matmul h.0"
std::string cellText(const Instruction &instruction, uint32_t ordinal) {
  return std::to_string(ordinal) + " " +
         (instruction.origin.what.empty() ? std::string(textOf(instruction.op)) : instruction.origin.what) +
         " " + instruction.origin.function;
}

/// The micro-batches of one run of a section.
std::string microBatchText(int64_t first, int64_t count) {
  if (count <= 1)
    return "micro-batch " + std::to_string(first);
  return "micro-batches " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

struct Row {
  size_t instruction;
  std::string time;
};

void addRows(std::string &text, const Program &program, const Section &section,
             const std::vector<Row> &rows) {
  const std::vector<Lane> lanes = usedLanes(section);
  const std::vector<uint32_t> ordinals = laneOrdinals(section);
  text += fitted(rows.empty() || rows.front().time.empty() ? "" : "from, for", kColumn);
  for (Lane lane : lanes)
    text += fitted(std::string(textOf(lane)), kColumn);
  text += "after\n";
  for (const Row &row : rows) {
    const Instruction &instruction = section.instructions[row.instruction];
    text += fitted(row.time, kColumn);
    for (Lane lane : lanes)
      text +=
          fitted(lane == instruction.lane ? cellText(instruction, ordinals[row.instruction]) : "", kColumn);
    for (size_t w = 0; w < instruction.waits.size(); ++w)
      text += (w ? "; " : "") + waitText(program, instruction.waits[w]);
    text += "\n";
  }
}

/// A trace event in the form that windlass-run --trace writes for the same instruction.
nlohmann::ordered_json traceEvent(const Plan &plan, const SimulatedEvent &time) {
  const Program &program = plan.programs[time.program];
  const Section &section = program.sections[time.section];
  const Instruction &instruction = section.instructions[time.instruction];
  nlohmann::ordered_json slice = {{"name", instruction.origin.what.empty()
                                               ? std::string(textOf(instruction.op))
                                               : instruction.origin.what},
                                  {"cat", textOf(instruction.op)},
                                  {"ph", "X"},
                                  {"ts", time.start * 1e6},
                                  {"dur", (time.end - time.start) * 1e6},
                                  {"pid", program.firstRank},
                                  {"tid", static_cast<int>(instruction.lane)},
                                  {"args",
                                   {{"section", section.name},
                                    {"micro_batch", time.microBatch + instruction.microBatch},
                                    {"instruction", time.instruction},
                                    {"function", instruction.origin.function},
                                    {"phase", textOf(instruction.origin.phase)}}}};
  if (time.work > 0)
    slice["tdur"] = time.work * 1e6;
  return slice;
}

/// Adds a program; `times`: of its instructions.
void addProgram(std::string &text, const Program &program, std::span<const SimulatedEvent> times) {
  for (size_t from = 0; from < times.size();) {
    // Micro-batch by micro-batch, each in the order of starts.
    size_t to = from;
    while (to < times.size() && times[to].microBatch == times[from].microBatch)
      ++to;
    std::vector<SimulatedEvent> ordered(times.begin() + static_cast<long>(from),
                                        times.begin() + static_cast<long>(to));
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const SimulatedEvent &a, const SimulatedEvent &b) { return a.start < b.start; });
    std::vector<Row> rows;
    for (const SimulatedEvent &time : ordered)
      rows.push_back(
          {time.instruction, formatSeconds(time.start) + ", " + formatSeconds(time.end - time.start)});
    const Section &section = program.sections[times[from].section];
    text += microBatchText(times[from].microBatch, section.advance) + ", section " + section.name + "\n";
    addRows(text, program, section, rows);
    from = to;
  }
  for (uint32_t number = 0; number < program.sections.size(); ++number) {
    const Section &section = program.sections[number];
    if (std::ranges::find(times, number, &SimulatedEvent::section) != times.end())
      continue;
    std::vector<Row> rows;
    for (size_t i = 0; i < section.instructions.size(); ++i)
      rows.push_back({i, ""});
    text += "section " + section.name + ", in planned order\n";
    addRows(text, program, section, rows);
  }
}

} // namespace

std::string schedule(const plan::Plan &plan, std::span<const model::SimulatedEvent> times) {
  std::string text = stagesSideBySide(plan, times);
  for (size_t number = 0; number < plan.programs.size(); ++number) {
    const auto mine = std::ranges::equal_range(times, number, {}, &SimulatedEvent::program);
    text += programTitle(plan, number);
    addProgram(text, plan.programs[number], {mine.begin(), mine.end()});
  }
  return text;
}

std::string trace(const plan::Plan &plan, std::span<const model::SimulatedEvent> times) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const Program &program : plan.programs)
    for (size_t lane = 0; lane < kLanes; ++lane)
      events.push_back({{"name", "thread_name"},
                        {"ph", "M"},
                        {"pid", program.firstRank},
                        {"tid", lane},
                        {"args", {{"name", wordsOf<Lane>()[lane]}}}});
  for (const SimulatedEvent &time : times)
    events.push_back(traceEvent(plan, time));
  nlohmann::ordered_json document = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}};
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace windlass::dump
