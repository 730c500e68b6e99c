// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/training/Strategy.h"

#include "compiler/training/KeyedDocument.h"
#include "compiler/training/TrainingRules.h"
#include "runtime/base/File.h"
#include "runtime/base/NearestName.h"
#include "runtime/base/UnknownKeys.h"
#include <algorithm>
#include <filesystem>
#include <vector>

namespace windlass {
namespace {

using namespace training;

constexpr std::string_view kFormat = "windlass.strategy/1";

constexpr std::string_view kKnownKeys[] = {
    "format",
#define WINDLASS_DECISION_KEY(Path, Field, Rule, Doc) Path,
#include "compiler/training/DecisionKeys.def"
};

struct Named {
  std::string_view name, decisions, meaning;
};

constexpr Named kNamed[] = {
#define WINDLASS_STRATEGY(Name, Decisions, Doc) {Name, Decisions, Doc},
#include "compiler/training/Strategies.def"
};

void readKeys(JsonReader &top, Decisions &decisions) {
  KeyedReader keys(top);
#define WINDLASS_DECISION_KEY(Path, Field, Rule, Doc) keys.read(Path, Rule, decisions.Field);
#include "compiler/training/DecisionKeys.def"
  keys.finish();
}

Result<Decisions> parse(std::string_view text, const std::string &file, bool isFile,
                        Decisions decisions = {}) {
  Result<nlohmann::json> document = JsonReader::parse(text, file);
  if (!document)
    return document.status();
  Status failure;
  JsonReader top(*document, file, failure);
  if (JsonReader format = isFile ? top.at("format") : top; isFile && top.isOk() && format.text() != kFormat)
    format.failRule("must be \"" + std::string(kFormat) + "\"");
  if (top.isOk())
    failure = refuseUnknownKeys(*document, file, kKnownKeys);
  readKeys(top, decisions);
  if (!failure)
    return failure;
  return decisions;
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const Named &named : kNamed)
    all.push_back(named.name);
  return all;
}

} // namespace

Result<Decisions> readStrategy(const std::string &nameOrFile, const Decisions &asked) {
  for (const Named &named : kNamed)
    if (named.name == nameOrFile)
      return parse(named.decisions, nameOrFile, false, asked);
  std::error_code ignored;
  if (!std::filesystem::exists(nameOrFile, ignored))
    return Status(ExitCode::Usage, "--strategy " + nameOrFile + ": is no file and none of " +
                                       strategyNames() + didYouMean(nameOrFile, names()));
  Result<std::string> text = readFile(nameOrFile);
  if (!text)
    return text.status();
  return parse(*text, nameOrFile, true, asked);
}

Result<Recompute> readRecompute(const std::string &text) {
  const std::string where = "--recompute " + text;
  Result<nlohmann::json> value =
      text.starts_with('{') ? JsonReader::parse(text, where) : nlohmann::json(text);
  Result<Decisions> decisions =
      value ? parse(nlohmann::json{{"recompute", *value}}.dump(), where, false) : value.status();
  if (!decisions)
    return Status(ExitCode::Usage, decisions.status().message());
  return decisions->recompute;
}

std::string writeStrategy(const Decisions &decisions) {
  nlohmann::ordered_json document;
  document["format"] = kFormat;
#define WINDLASS_DECISION_KEY(Path, Field, Rule, Doc) writeKey(document, Path, Rule.write(decisions.Field));
#include "compiler/training/DecisionKeys.def"
  if (decisions.pipelineSchedule == PipelineSchedule::Auto && decisions.pipelineLag.empty() &&
      decisions.pipelineCut.empty()) // no pipeline
    document.erase("pipeline");
  else if (!decisions.pipelineChunks)
    document["pipeline"].erase("chunks");
  if (!decisions.checkpointPartition)
    document.erase("checkpoint_partition");
  if (!decisions.sequenceParallel) // no tensor ranks
    document.erase("sequence_parallel");
  if (!decisions.reshardActivations) // no rows of their own
    document.erase("reshard_activations");
  return document.dump();
}

std::vector<NamedStrategy> namedStrategies() {
  std::vector<NamedStrategy> all;
  for (const Named &named : kNamed)
    if (Result<Decisions> decisions = parse(named.decisions, std::string(named.name), false);
        decisions && *decisions != Decisions())
      all.push_back({named.name, decisions.take()});
  return all;
}

std::optional<Decisions> completedBy(const Decisions &asked, const Decisions &named) {
  const Decisions open;
  Decisions completed = asked;
  bool agree = true;
#define WINDLASS_DECISION_KEY(Path, Field, Rule, Doc)                                                        \
  if (asked.Field == open.Field)                                                                             \
    completed.Field = named.Field;                                                                           \
  else                                                                                                       \
    agree &= named.Field == open.Field || named.Field == asked.Field;
#include "compiler/training/DecisionKeys.def"
  return agree ? std::optional(completed) : std::nullopt;
}

template <typename Value> static bool agree(const Value &taken, const Value &named) { return taken == named; }
static bool agree(const Homes &taken, const Homes &named) { return taken == named || taken.isAuto(); }

bool isOf(const Decisions &taken, const Decisions &named) {
  const Decisions open;
  return true
#define WINDLASS_DECISION_KEY(Path, Field, Rule, Doc)                                                        \
  &&(named.Field == open.Field || agree(taken.Field, named.Field))
#include "compiler/training/DecisionKeys.def"
      ;
}

std::string strategyNames() {
  std::string text;
  for (const Named &named : kNamed)
    text += (text.empty() ? "" : ", ") + std::string(named.name);
  return text;
}

std::string strategyTable() {
  std::string table = "| name | what it is |\n| --- | --- |\n";
  for (const Named &named : kNamed)
    table += "| `" + std::string(named.name) + "` | " + std::string(named.meaning) + " |\n";
  return table;
}

std::string decisionKeyTable() {
  const Decisions decisions;
  std::string table(kKeyTableHead);
#define WINDLASS_DECISION_KEY(Path, Field, Rule, Doc)                                                        \
  table += keyTableRow(Path, Rule.rule(), Rule.write(decisions.Field), Doc);
#include "compiler/training/DecisionKeys.def"
  return table;
}

} // namespace windlass
