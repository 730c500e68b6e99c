// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dump.h"
#include "ProgramTitle.h"
#include "runtime/base/Hash.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Layout.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace windlass::dump {
namespace {

using namespace windlass::plan;

constexpr size_t kColumn = 13;

std::string atRight(const std::string &text) {
  return std::string(kColumn - std::min(kColumn, text.size()), ' ') + text;
}

/// The lanes on which some section has instructions.
std::vector<size_t> lanesOf(const Plan &plan) {
  std::array<bool, kLanes> used{};
  forEachInstruction(
      plan, [&](const Instruction &instruction) { used[static_cast<size_t>(instruction.lane)] = true; });
  std::vector<size_t> lanes;
  for (size_t lane = 0; lane < kLanes; ++lane)
    if (used[lane])
      lanes.push_back(lane);
  return lanes;
}

void addInstructions(std::string &text, const Plan &plan) {
  const std::vector<size_t> lanes = lanesOf(plan);
  text += "\ninstructions" + atRight("");
  for (size_t lane : lanes)
    text += atRight(std::string(wordsOf<Lane>()[lane]));
  text += "\n";
  for (size_t number = 0; number < plan.programs.size(); ++number) {
    text += programTitle(plan, number);
    for (const Section &section : plan.programs[number].sections) {
      const LaneCounts counts = laneCounts(section);
      text += "  " + section.name;
      text.resize(text.rfind('\n') + 1 + 12 + kColumn, ' ');
      for (size_t lane : lanes)
        text += atRight(std::to_string(counts[lane]));
      text += "\n";
    }
  }
}

} // namespace

std::string summary(const plan::Plan &plan) {
  std::string text = overview(plan);
  addInstructions(text, plan);
  const DeviceRow *device = findDevice(plan.backend);
  text += "\nkernels       " + std::to_string(plan.kernels.size()) + " distinct, for " + plan.target.cpu +
          (device && device->hasOwnCode() ? " and, on the device, " + std::string(device->code) : "") +
          ", matmuls by " + plan.target.library + " " + plan.target.version + "\n";
  text += "strategy      " + plan.strategy + "\n";
  text += "numerics      " + hashOfBytes(plan.numerics) + "\n              " + plan.numerics + "\n";
  return text;
}

Result<std::string> strategy(const plan::Plan &plan) {
  auto document = nlohmann::ordered_json::parse(plan.strategy, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return Status::badInput("the plan's strategy is not JSON");
  return document.dump(2) + "\n";
}

} // namespace windlass::dump
