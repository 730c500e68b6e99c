// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dump.h"
#include "ProgramTitle.h"
#include "model/NodeTraffic.h"
#include "model/RateOrigins.h"
#include "model/Simulator.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/text/ReasonText.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <set>

namespace windlass::dump {
namespace {

using namespace windlass::plan;

constexpr size_t kColumns = 110;

std::string textOfWord(std::string_view word) { return std::string(word); }

/// Appends to a string, formatted as by printf.
[[gnu::format(printf, 2, 3)]] void append(std::string &text, const char *format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  text += line;
}

/// "no ties", "tied: wte.weight", "tied: wte.weight and 2 more"
std::string tiesText(const Plan &plan) {
  if (plan.ties.empty())
    return "no ties";
  return "tied: " + plan.ties.front() +
         (plan.ties.size() > 1 ? " and " + formatCount(plan.ties.size() - 1) + " more" : "");
}

void addModel(std::string &text, const Plan &plan) {
  text += "model         " + plan.model + ": " + counted(plan.parameters, "parameter") + ", " +
          counted(plan.layers, "layer") + " (" + std::to_string(plan.distinctLayers) + " distinct), " +
          tiesText(plan) + "\n";
  text += "mesh          ";
  for (const MeshAxis &axis : plan.mesh)
    text += axis.name + " " + std::to_string(axis.size) + ", ";
  text += counted(plan.ranks(), "rank") + "; a step is " +
          counted(plan.training.microBatches, "micro-batch") + ", " +
          counted(plan.training.globalBatch, "example") + " in all\n";
}

/// Adds the files that a fresh run starts from, and the number of tensors in them.
void addWeights(std::string &text, const Plan &plan) {
  if (plan.weights.empty())
    return;
  std::set<std::string> stored, drawn;
  forEachState(plan, [&](const State &state) {
    if (state.cls == StateClass::Parameter)
      (state.source.file < 0 ? drawn : stored).insert(state.name);
  });
  int64_t bytes = 0;
  for (const WeightFile &file : plan.weights)
    bytes += file.bytes;
  text += "weights       " + plan.weights.front().path +
          (plan.weights.size() > 1 ? " and " + counted(std::ssize(plan.weights) - 1, "more file") : "") +
          ": " + counted(std::ssize(stored), "tensor") + " of " + formatBytes(bytes) +
          (drawn.empty() ? "" : "; " + formatCount(drawn.size()) + " start from initialisers") + "\n";
}

void addArenas(std::string &text, const Program &program) {
  for (const Arena &arena : program.arenas)
    append(text, "              %-8s %12s %12s %12s\n", textOfWord(textOf(arena.tier)).c_str(),
           formatBytes(arena.bytes).c_str(), formatBytes(arena.lowerBound).c_str(),
           formatBytes(arena.capacity).c_str());
  if (const ByteSpan pool = pinnedPool(program); pool.bytes() > 0)
    append(text, "              %-8s %12s   of the host, pinned for what passes to and from the disk\n",
           "pool", formatBytes(pool.bytes()).c_str());
}

void addMemory(std::string &text, const Plan &plan) {
  append(text, "\nmemory        %-8s %12s %12s %12s   per rank\n", "tier", "planned", "lower bound",
         "capacity");
  for (size_t number = 0; number < plan.programs.size(); ++number) {
    if (const std::string title = programTitle(plan, number); !title.empty())
      text += "              " + title;
    addArenas(text, plan.programs[number]);
  }
}

using BytesByHome = std::map<std::pair<StateClass, Tier>, int64_t>;

/// The bytes of a program's `tensors` on a rank, by home. Tensors in one unit share its home.
BytesByHome bytesOf(const Plan &plan, const Program &program, const std::vector<State> &tensors,
                    int64_t rank) {
  BytesByHome held;
  std::set<std::pair<StateClass, std::string>> seen;
  for (const State &state : tensors)
    if (isHeld(plan, program, state.home, rank) && seen.emplace(state.cls, state.unit).second)
      held[{state.cls, tierOf(program, state.home)}] += state.home.bytes;
  return held;
}

/// The bytes of the rank that holds most: of each class, and of all classes together.
struct HeldBytes {
  BytesByHome states, gradients;
  int64_t all = 0;

  void addRank(const Plan &plan, const Program &program, int64_t rank) {
    int64_t sum = 0;
    for (auto [most, tensors] :
         {std::pair(&states, &program.states), std::pair(&gradients, &program.gradients)})
      for (const auto &[key, bytes] : bytesOf(plan, program, *tensors, rank)) {
        (*most)[key] = std::max((*most)[key], bytes);
        sum += bytes;
      }
    all = std::max(all, sum);
  }
};

/// Over all programs; ranks of a program are alike, except where buffers have owners.
HeldBytes bytesHeld(const Plan &plan) {
  HeldBytes held;
  for (const Program &program : plan.programs)
    for (int64_t rank = program.firstRank;
         rank < program.firstRank + (hasOwners(program) ? program.ranks : 1); ++rank)
      held.addRank(plan, program, rank);
  return held;
}

void addStates(std::string &text, const Plan &plan) {
  append(text, "\nstates        %-10s %-8s %12s %12s%s\n", "class", "home", "per rank", "a parameter",
         plan.programs.size() > 1 ? "   of the stage with the most of each" : "");
  const double parameters = static_cast<double>(std::max<int64_t>(plan.parameters, 1));
  auto addRow = [&](std::string_view cls, std::string_view tier, int64_t bytes) {
    append(text, "              %-10s %-8s %12s %10.2f B\n", textOfWord(cls).c_str(),
           textOfWord(tier).c_str(), formatBytes(bytes).c_str(), static_cast<double>(bytes) / parameters);
  };
  const HeldBytes held = bytesHeld(plan);
  for (const auto &[key, bytes] : held.states)
    addRow(textOf(key.first), textOf(key.second), bytes);
  for (const auto &[key, bytes] : held.gradients)
    addRow("gradient", textOf(key.second), bytes);
  addRow("all", "", held.all);
}

/// Words on lines of at most kColumns: the first begins with `first`, the others with `indent`.
std::string wrapped(const std::string &words, const std::string &first, const std::string &indent) {
  std::string text, line = first;
  for (size_t begin = 0, end = 0; begin < words.size(); begin = end + 1) {
    end = std::min(words.find(' ', begin), words.size());
    if (line.size() + 1 + end - begin > kColumns) {
      text += line + "\n";
      line = indent;
    }
    line += " " + words.substr(begin, end - begin);
  }
  return text + line + "\n";
}

/// Adds a reason: the decision, then the alternatives that were not taken, on lines of their own.
void addReason(std::string &text, const Reason &reason) {
  std::string begin = "  " + titleOf(reason) + ":";
  for (const std::string &part : reasonParts(reason)) {
    text += wrapped(part, begin, "     ");
    begin = "    -";
  }
}

/// Whether a reason is in the overview. For a pipeline: all reasons of the first stage that is listed, which
/// computes longest; of each other stage, its seconds, and homes that differ from that stage's. --explain
/// shows the rest.
bool isInOverview(const Plan &plan, const Reason &reason) {
  const Reason *first = findReason(plan.reasons, pathOf(reason));
  if (reason.stage == first->stage)
    return true;
  return reason.decision == Decision::Placement &&
         (reason.subject.empty() || reason.taken != first->taken || reason.taken == kSplit);
}

int64_t bytesWrittenPerStep(const Plan &plan) {
  int64_t bytes = 0;
  for (const Program &program : plan.programs)
    for (const auto &[section, times] : program.train)
      for (const Instruction &instruction : program.sections[section].instructions)
        for (int64_t rank = program.firstRank; instruction.lane == Lane::NcOut && rank <= program.lastRank();
             ++rank)
          bytes += executes(plan, program, instruction, rank) ? times * instruction.bytesMoved : 0;
  return bytes;
}

/// A short description of a lane.
std::string_view meaningOf(Lane lane) {
  switch (lane) {
  case Lane::Compute:
    return "kernels on the device";
  case Lane::Gg:
    return "device to device";
  case Lane::CgIn:
    return "host to device";
  case Lane::CgOut:
    return "device to host";
  case Lane::NcIn:
    return "disk to host";
  case Lane::NcOut:
    return "host to disk";
  case Lane::HostCompute:
    return "kernels on the host";
  case Lane::Nodes:
    return "between groups of ranks";
  case Lane::ActOut:
    return "activations to the next stage";
  case Lane::ActIn:
    return "activations from the stage before";
  case Lane::GradOut:
    return "gradients to the stage before";
  case Lane::GradIn:
    return "gradients from the next stage";
  }
  return "";
}

/// The resource that binds the step, and the change that would help.
std::string boundText(const Plan &plan) {
  const std::string &by = plan.prediction.boundBy;
  if (by != model::kBetweenNodes)
    return by;
  Result<model::Machine> machine = model::parseMachine(plan.hardware, "the plan's hardware");
  std::optional<int64_t> shard = machine ? model::shardThatSparesNodes(plan, *machine) : std::nullopt;
  return shard ? by + ", which parallel.shard " + std::to_string(*shard) + " would spare" : by;
}

/// The origins of the rates behind the seconds; windlass-sim shows the source of each rate.
std::string originsOf(const Plan &plan) {
  Result<model::Machine> machine = model::parseMachine(plan.hardware, "the plan's hardware");
  return machine ? model::originsText(*machine)
                 : std::string(plan.prediction.declaredRates ? "declared" : "measured") + " rates";
}

void addPrediction(std::string &text, const Plan &plan) {
  const Prediction &prediction = plan.prediction;
  text += "\nprediction    ";
  if (prediction.stepSeconds <= 0) {
    text += "none in this plan\n";
    return;
  }
  text += formatSeconds(prediction.stepSeconds) + " a step, bound by " + boundText(plan) + " (" +
          originsOf(plan) + "); " + counted(plan.training.steps, "step") + ": " +
          formatSeconds(prediction.stepSeconds * static_cast<double>(plan.training.steps)) + "\n";
  if (int64_t bytes = bytesWrittenPerStep(plan))
    text += "              " + counted(plan.training.steps, "step") +
            (plan.training.steps == 1 ? " writes " : " write ") + formatBytes(bytes * plan.training.steps) +
            " to the disk, " + formatBytes(bytes) + " each\n";
  for (const auto &[lane, seconds] : prediction.busy) {
    std::string busy;
    append(busy, "%s, %.0f %%", formatSeconds(seconds).c_str(), 100 * seconds / prediction.stepSeconds);
    append(text, "              %-12s busy %-14s  %s\n", textOfWord(textOf(lane)).c_str(), busy.c_str(),
           std::string(meaningOf(lane)).c_str());
  }
}

} // namespace

std::string overview(const plan::Plan &plan) {
  std::string text;
  addModel(text, plan);
  addWeights(text, plan);
  addMemory(text, plan);
  addStates(text, plan);
  if (!plan.reasons.empty())
    text +=
        "\nwhy           (windlass-dump PLAN --explain NAME says more of any of these, and of any tensor)\n";
  for (const Reason &reason : plan.reasons)
    if (isInOverview(plan, reason))
      addReason(text, reason);
  addPrediction(text, plan);
  return text;
}

} // namespace windlass::dump
