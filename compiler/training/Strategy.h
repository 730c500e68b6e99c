// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Strategy.h - decisions by name or from a file =========================//
//
// Duty: reads and writes "windlass.strategy/1" documents, which have any of the keys of DecisionKeys.def;
// decisions without a key stay as asked for, or are left to the planner. Also has the named strategies
// (Strategies.def). Description: docs/strategies.md. Errors: Status names the file, the key, the rule and the
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

/// Reads a strategy by its name, or else from a file. `asked`: the decisions that the strategy does not
/// replace.
Result<Decisions> readStrategy(const std::string &nameOrFile, const Decisions &asked = {});
/// A document that reads back as these decisions.
std::string writeStrategy(const Decisions &decisions);
/// The value of "recompute", as in a strategy, from a word or an object on the command line.
Result<Recompute> readRecompute(const std::string &text);

/// A strategy with a name that decides something.
struct NamedStrategy {
  std::string_view name;
  Decisions decisions;
};
/// In the order of their table.
std::vector<NamedStrategy> namedStrategies();
/// `asked`, with its open decisions as in `named`; nothing if the two disagree.
std::optional<Decisions> completedBy(const Decisions &asked, const Decisions &named);
/// Whether `taken`, the decisions of a plan, agree with all that `named` asks for. Homes of classes that the
/// plan does not have are ignored.
bool isOf(const Decisions &taken, const Decisions &named);

/// "auto, data-parallel, ..."
std::string strategyNames();
/// The named strategies and the keys, in Markdown, as docs/strategies.md shows them.
std::string strategyTable();
std::string decisionKeyTable();

} // namespace windlass
