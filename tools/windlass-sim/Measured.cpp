// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-sim/Measured.h"

#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Layout.h"
#include "tools/windlass-sim/Table.h"
#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <tuple>

namespace windlass::sim {
namespace {

using json = nlohmann::ordered_json;
using model::SimulatedEvent;

/// A run of an instruction: program, section, micro-batch and place in the section.
using Place = std::tuple<size_t, size_t, int64_t, int64_t>;

struct Measured {
  int64_t rank = 0;
  Place place;
  double start = 0, end = 0; ///< seconds
};

std::string kindOf(const plan::Plan &plan, const plan::Instruction &instruction) {
  if (instruction.op != plan::Opcode::Launch)
    return std::string(plan::textOf(instruction.op));
  const std::string &kernel = plan.kernels[static_cast<size_t>(instruction.kernel)].description;
  return kernel.substr(0, kernel.find(' '));
}

const plan::Instruction &instructionAt(const plan::Plan &plan, const Place &place) {
  const auto &[program, section, microBatch, number] = place;
  return plan.programs[program].sections[section].instructions[static_cast<size_t>(number)];
}

/// Whether the slice is of this instruction, by its operation, function and bytes.
bool isOf(const plan::Instruction &instruction, JsonReader event, JsonReader args) {
  const int64_t bytes = args.has("bytes") ? args.at("bytes").integer(0, INT64_MAX) : 0;
  return event.at("cat").text() == plan::textOf(instruction.op) &&
         args.at("function").text() == instruction.origin.function && bytes == instruction.bytesMoved;
}

/// Reads one slice of the file; fails if the plan has no such instruction.
Measured readSlice(JsonReader event, const plan::Plan &plan) {
  JsonReader rank = event.at("pid");
  const int64_t number = rank.integer(0, plan.ranks() - 1);
  JsonReader args = event.at("args");
  JsonReader name = args.at("section"), place = args.at("instruction");
  const std::string section = name.text();
  const int64_t instruction = place.integer(0, std::numeric_limits<int32_t>::max());
  const int64_t microBatch = args.at("micro_batch").integer(INT32_MIN, INT32_MAX);
  const double start = event.at("ts").number(0, 1e15) * 1e-6, length = event.at("dur").number(0, 1e15) * 1e-6;
  if (!event.isOk())
    return {};
  const plan::Program &program = programOf(plan, number);
  const auto found = std::ranges::find(program.sections, section, &plan::Section::name);
  if (found == program.sections.end())
    name.fail("the plan has no section \"" + section + "\": the timeline is of another plan");
  else if (instruction >= std::ssize(found->instructions))
    place.fail("section \"" + section + "\" has " + formatCount(std::ssize(found->instructions)) +
               " instructions: the timeline is of another plan");
  else if (const plan::Instruction &its = found->instructions[static_cast<size_t>(instruction)];
           !isOf(its, event, args))
    place.fail("is \"" + its.origin.function + "\", " + kindOf(plan, its) +
               ", in the plan: the timeline is of another plan");
  return {number,
          {static_cast<size_t>(&program - plan.programs.data()),
           static_cast<size_t>(found - program.sections.begin()), microBatch, instruction},
          start,
          start + length};
}

Result<std::vector<Measured>> readRun(const plan::Plan &plan, const std::string &file) {
  Result<std::string> text = readFile(file);
  WINDLASS_TRY(text.status());
  Result<nlohmann::json> document = JsonReader::parse(*text, file);
  WINDLASS_TRY(document.status());
  Status failure;
  JsonReader top(*document, file, failure);
  JsonReader events = top.at("traceEvents");
  std::vector<Measured> run;
  for (size_t i = 0; i < events.size() && events.isOk(); ++i) {
    JsonReader event = events.at(i);
    if (event.at("ph").text() == "X")
      run.push_back(readSlice(event, plan));
  }
  WINDLASS_TRY(failure);
  if (run.empty())
    return Status::badInput(file + ": holds no instructions: it is no timeline of windlass-run --trace");
  return run;
}

/// Where each run of an instruction stands in the times of the ranks of its program.
std::map<Place, size_t> numberEvents(const plan::Plan &plan, const model::Simulation &simulation) {
  std::map<Place, size_t> numbers;
  std::vector<size_t> counts(plan.programs.size());
  for (const SimulatedEvent &event : simulation.events) {
    const plan::Instruction &instruction =
        plan.programs[event.program].sections[event.section].instructions[event.instruction];
    numbers[{event.program, event.section, event.microBatch + instruction.microBatch, event.instruction}] =
        counts[event.program]++;
  }
  return numbers;
}

} // namespace

Result<Comparison> compare(const plan::Plan &plan, const model::Simulation &simulation,
                           const std::string &runTrace) {
  Result<std::vector<Measured>> run = readRun(plan, runTrace);
  WINDLASS_TRY(run.status());
  const std::map<Place, size_t> numbers = numberEvents(plan, simulation);
  std::map<std::pair<std::string, std::string>, ComparedKind> kinds;
  Comparison comparison{{}, simulation.stepSeconds, 0};
  double begin = std::numeric_limits<double>::infinity(), end = 0;
  for (const Measured &slice : *run) {
    const auto number = numbers.find(slice.place);
    const plan::Instruction &instruction = instructionAt(plan, slice.place);
    if (number == numbers.end())
      return Status::badInput(runTrace + ": \"" + kindOf(plan, instruction) +
                              "\" ran where no step of the plan has it: the timeline is of another plan");
    begin = std::min(begin, slice.start);
    end = std::max(end, slice.end);
    if (!executes(plan, programOf(plan, slice.rank), instruction, slice.rank))
      continue; // another rank does, which owns what it works on
    const model::TimeSpan predicted = timesOf(plan, simulation, slice.rank)[number->second];
    const std::string lane(plan::textOf(instruction.lane));
    ComparedKind &kind = kinds[{lane, kindOf(plan, instruction)}];
    kind.lane = lane;
    kind.kind = kindOf(plan, instruction);
    ++kind.instructions;
    kind.predicted += (predicted.end - predicted.start) / static_cast<double>(plan.ranks());
    kind.measured += (slice.end - slice.start) / static_cast<double>(plan.ranks());
  }
  comparison.measuredStep = end - begin;
  for (auto &[key, kind] : kinds)
    comparison.kinds.push_back(std::move(kind));
  std::ranges::sort(comparison.kinds, std::ranges::greater{}, &ComparedKind::measured);
  return comparison;
}

/// "1.25 times as long"; empty without a prediction.
static std::string ratio(double measured, double predicted) {
  if (!(predicted > 0))
    return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", measured / predicted);
  return text;
}

std::string describe(const Comparison &comparison) {
  Table table({"lane", "what", "instructions", "predicted", "measured", "ratio"});
  for (const ComparedKind &kind : comparison.kinds)
    table.add({kind.lane, kind.kind, formatCount(kind.instructions), formatSeconds(kind.predicted),
               formatSeconds(kind.measured), ratio(kind.measured, kind.predicted)});
  table.add({"step", "", "", formatSeconds(comparison.predictedStep), formatSeconds(comparison.measuredStep),
             ratio(comparison.measuredStep, comparison.predictedStep)});
  return table.text();
}

json toJson(const Comparison &comparison) {
  json kinds = json::array();
  for (const ComparedKind &kind : comparison.kinds)
    kinds.push_back({{"lane", kind.lane},
                     {"kind", kind.kind},
                     {"instructions", kind.instructions},
                     {"predicted_seconds", kind.predicted},
                     {"measured_seconds", kind.measured}});
  return {{"predicted_step_seconds", comparison.predictedStep},
          {"measured_step_seconds", comparison.measuredStep},
          {"kinds", std::move(kinds)}};
}

} // namespace windlass::sim
