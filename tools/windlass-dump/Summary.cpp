#include "Dump.h"
#include "runtime/base/Hash.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Layout.h"

#include <cstdarg>
#include <map>
#include <set>

namespace windlass::dump {
namespace {

using namespace windlass::plan;

/// printf onto the end of a string.
[[gnu::format(printf, 2, 3)]] void append(std::string &text, const char *format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  text += line;
}

std::string textOfWord(std::string_view word) { return std::string(word); }

void addModel(std::string &text, const Plan &plan) {
  text += "model         " + plan.model + ": " + formatCount(plan.parameters) + " parameters, " +
          std::to_string(plan.layers) + " layers (" + std::to_string(plan.distinctLayers) + " distinct)\n";
  text += "mesh          ";
  for (const MeshAxis &axis : plan.mesh)
    text += axis.name + " " + std::to_string(axis.size) + ", ";
  text += std::to_string(plan.ranks()) + " ranks; a step is " + std::to_string(plan.training.microBatches) +
          " micro-batches, " + std::to_string(plan.training.globalBatch) + " examples in all\n";
}

void addArenas(std::string &text, const Plan &plan) {
  append(text, "\nmemory        %-8s %12s %12s %12s   per rank\n", "tier", "planned", "lower bound",
         "capacity");
  for (const Arena &arena : plan.arenas)
    append(text, "              %-8s %12s %12s %12s\n", textOfWord(textOf(arena.tier)).c_str(),
           formatBytes(arena.bytes).c_str(), formatBytes(arena.lowerBound).c_str(),
           formatBytes(arena.capacity).c_str());
}

void addStates(std::string &text, const Plan &plan) {
  // Tensors packed into one unit share its home.
  std::map<std::pair<StateClass, Tier>, int64_t> bytes;
  std::set<std::pair<StateClass, std::string>> seen;
  for (const State &state : plan.states)
    if (seen.emplace(state.cls, state.unit).second)
      bytes[{state.cls, tierOf(plan, state.home)}] += state.home.bytes;
  append(text, "\nstates        %-10s %-8s %12s %12s\n", "class", "home", "per rank", "a parameter");
  double parameters = static_cast<double>(std::max<int64_t>(plan.parameters, 1));
  for (const auto &[key, sum] : bytes)
    append(text, "              %-10s %-8s %12s %10.2f B\n", textOfWord(textOf(key.first)).c_str(),
           textOfWord(textOf(key.second)).c_str(), formatBytes(sum).c_str(),
           static_cast<double>(sum) / parameters);
}

void addInstructions(std::string &text, const Plan &plan) {
  append(text, "\ninstructions  %-10s", "section");
  for (std::string_view lane : wordsOf<Lane>())
    append(text, " %12s", textOfWord(lane).c_str());
  text += "\n";
  for (const Section &section : plan.sections) {
    append(text, "              %-10s", textOfWord(textOf(section.kind)).c_str());
    for (uint32_t count : laneCounts(section))
      append(text, " %12u", count);
    text += "\n";
  }
}

void addPrediction(std::string &text, const Plan &plan) {
  const Prediction &prediction = plan.prediction;
  text += "\nprediction    ";
  if (prediction.stepSeconds <= 0) {
    text += "none in this plan\n";
    return;
  }
  text += formatSeconds(prediction.stepSeconds) + " a step, bound by " + prediction.boundBy + " (" +
          (prediction.declaredRates ? "declared" : "measured") + " rates)\n";
  for (const auto &[lane, seconds] : prediction.busy)
    append(text, "              %-12s busy %s, %.0f %%\n", textOfWord(textOf(lane)).c_str(),
           formatSeconds(seconds).c_str(), 100 * seconds / prediction.stepSeconds);
}

} // namespace

std::string summary(const plan::Plan &plan) {
  std::string text;
  addModel(text, plan);
  addArenas(text, plan);
  addStates(text, plan);
  addInstructions(text, plan);
  if (!plan.explanations.empty())
    text += "\nwhy\n";
  for (const Explanation &explanation : plan.explanations)
    text += "  " + explanation.subject + ": " + explanation.text + "\n";
  addPrediction(text, plan);
  text +=
      "\nkernels       " + std::to_string(plan.kernels.size()) + " distinct, for " + plan.targetCpu + "\n";
  text += "strategy      " + plan.strategy + "\n";
  text += "numerics      " + hashOfBytes(plan.numerics) + "\n              " + plan.numerics + "\n";
  return text;
}

} // namespace windlass::dump
