// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Strategy.h - decisions by name or from a file =======================//
//
// Duty: "windlass.strategy/1" documents: any of the keys of DecisionKeys.def, what is
// left out stays as it was asked for, else with the planner; and the strategies that have a name
// (Strategies.def). The page: docs/strategies.md. Errors: Status names the file, the key, the rule and the
// value found. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/Decisions.h"
#include "runtime/base/Status.h"
#include <optional>
#include <string_view>
#include <vector>

namespace windlass {

/// A known name, or else a file. `asked`: what holds where the strategy does not say otherwise.
Result<Decisions> readStrategy(const std::string &nameOrFile, const Decisions &asked = {});
/// A document that reads back as these decisions.
std::string writeStrategy(const Decisions &decisions);
/// What "recompute" may be in a strategy, of a word or an object on the command line.
Result<Recompute> readRecompute(const std::string &text);

/// A strategy with a name that decides something.
struct NamedStrategy {
  std::string_view name;
  Decisions decisions;
};
/// In the order of their table.
std::vector<NamedStrategy> namedStrategies();
/// `asked`, and what it leaves open as `named` decides it; nothing where the two disagree.
std::optional<Decisions> completedBy(const Decisions &asked, const Decisions &named);
/// Whether `taken`, the decisions of a plan, are all that `named` asks for. A plan places no class that it
/// does not have.
bool isOf(const Decisions &taken, const Decisions &named);

/// "auto, data-parallel, ..."
std::string strategyNames();
/// The named strategies and the keys, in Markdown, as docs/strategies.md shows them.
std::string strategyTable();
std::string decisionKeyTable();

} // namespace windlass
