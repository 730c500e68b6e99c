#include "Dump.h"
#include "runtime/base/NearestName.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Layout.h"

namespace windlass::dump {
namespace {

using namespace windlass::plan;

std::string stateText(const Plan &plan, const State &state) {
  const int64_t owner = plan.buffers[state.home.buffer].owner;
  const std::string holder = owner == kEveryRank ? "each rank" : "rank " + std::to_string(owner) + " alone";
  std::string shape;
  for (int64_t extent : state.shape)
    shape += (shape.empty() ? "" : "x") + std::to_string(extent);
  return state.name + " (" + std::string(textOf(state.cls)) + ", " + shape + " " +
         std::string(textOf(state.type)) + "): " + (state.sharded ? "a piece of " : "whole, ") +
         formatBytes(state.home.bytes) + " at " + std::string(textOf(tierOf(plan, state.home))) + " " +
         std::to_string(arenaOffset(plan, state.home, 0)) + " on " + holder + ", in buffer \"" +
         plan.buffers[state.home.buffer].name + "\"\n";
}

} // namespace

Result<std::string> explain(const plan::Plan &plan, const std::string &name) {
  std::string text;
  std::vector<std::string_view> known;
  for (const State &state : plan.states) {
    known.push_back(state.name);
    if (state.name == name)
      text += stateText(plan, state);
  }
  for (const Explanation &explanation : plan.explanations) {
    known.push_back(explanation.subject);
    if (explanation.subject.find(name) != std::string::npos)
      text += explanation.subject + ": " + explanation.text + "\n";
  }
  if (!text.empty())
    return text;
  std::string_view nearest = nearestName(name, known);
  return Status::badInput("the plan says nothing of \"" + name + "\"" +
                          (nearest.empty() ? "" : ", did you mean \"" + std::string(nearest) + "\"?"));
}

} // namespace windlass::dump
