// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dump.h"
#include "runtime/base/Hash.h"
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

void addInstructions(std::string &text, const Plan &plan) {
  text += "\ninstructions" + atRight("");
  for (std::string_view lane : wordsOf<Lane>())
    text += atRight(std::string(lane));
  text += "\n";
  for (const Section &section : plan.sections) {
    text += "  " + section.name;
    text.resize(text.rfind('\n') + 1 + 12 + kColumn, ' ');
    for (uint32_t count : laneCounts(section))
      text += atRight(std::to_string(count));
    text += "\n";
  }
}

} // namespace

std::string summary(const plan::Plan &plan) {
  std::string text = overview(plan);
  addInstructions(text, plan);
  text += "\nkernels       " + std::to_string(plan.kernels.size()) + " distinct, for " + plan.target.cpu +
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
