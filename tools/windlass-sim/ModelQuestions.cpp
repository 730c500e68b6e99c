// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-sim/ModelQuestions.h"

#include "compiler/driver/Compile.h"
#include "compiler/driver/questions/Fit.h"
#include "compiler/driver/questions/LargestModel.h"
#include "compiler/driver/questions/ParallelFor.h"
#include "compiler/driver/questions/SmallestMachine.h"
#include "compiler/training/Strategy.h"
#include "model/ChangeMachine.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Output.h"
#include "runtime/plan/text/ReasonText.h"
#include "tools/command-line/CommandLine.h"
#include "tools/windlass-sim/Bars.h"
#include "tools/windlass-sim/Report.h"
#include "tools/windlass-sim/Table.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace windlass::sim {
namespace {

using json = nlohmann::ordered_json;
using model::StepReport;

/// The decisions that may be made before a plan is searched.
constexpr plan::Decision kChoices[] = {plan::Decision::Parallel, plan::Decision::Training};

/// The outcome of one variant of a question.
struct Outcome {
  std::string name, choices = {}; ///< outcomes of each mesh or training file, if these were open
  FitAnswer fit;
  bool isPlanned = false; ///< whether the following members are set
  plan::Plan plan;
  model::Machine machine; ///< that it is for
  StepReport report;
};

CompileRequest requestOf(const ModelQuestion &question) {
  CompileRequest request;
  request.model = question.model;
  request.training = question.training;
  request.hardware = question.hardware;
  request.parallel = question.parallel;
  request.strategy = question.strategy;
  request.targetCpu = question.targetCpu;
  request.mayChangeBits = question.mayChangeBits;
  request.whatIf.hardware = question.changes;
  request.warn = warnOnce(); // a question imports the model several times
  request.progress = [](const std::string &phase) { std::fprintf(stderr, "%s\n", phase.c_str()); };
  return request;
}

/// The outcome of a question that failed.
Outcome refused(const std::string &name, const Status &why) {
  Outcome outcome;
  outcome.name = name;
  outcome.fit.why = why.message();
  return outcome;
}

/// Answers a variant. Whether a plan fits is asked first, since a refusal would search for a sufficient
/// machine, which is not needed here. If the question is only whether a plan fits, nothing else is asked. If
/// keys of the training file are open, the search itself finds whether one fits.
Result<Outcome> outcomeOf(const ModelQuestion &question, const CompileRequest &request,
                          const std::string &name) {
  request.progress("planning " + name);
  CompileRequest quiet = request;
  quiet.progress = [](const std::string &) {};
  Outcome outcome;
  outcome.name = name;
  if (question.mayChangeBits) {
    if (name != question.model) // one of several
      quiet.progress = [&](const std::string &phase) { request.progress(name + ": " + phase); };
    else
      quiet.progress = request.progress;
    outcome.fit.fits = outcome.isPlanned = true;
  } else {
    Result<FitAnswer> fit = checkFit(quiet);
    WINDLASS_TRY(fit.status());
    outcome.fit = fit.take();
    outcome.isPlanned = outcome.fit.fits && !question.fits;
    if (!outcome.isPlanned)
      return outcome;
  }
  Result<plan::Plan> plan = compile(quiet);
  if (!plan && question.mayChangeBits && plan.status().code() == ExitCode::CannotFit)
    return refused(name, plan.status());
  WINDLASS_TRY(plan.status());
  outcome.plan = plan.take();
  for (plan::Decision decision : kChoices)
    if (const plan::Reason *chosen = plan::findReason(outcome.plan.reasons, plan::textOf(decision))) {
      outcome.name += ", " + plan::valueText(decision, chosen->taken);
      for (const std::string &part : plan::reasonParts(*chosen))
        outcome.choices += part + "\n";
    }
  Result<model::Machine> machine = model::parseMachine(outcome.plan.hardware, request.hardware);
  WINDLASS_TRY(machine.status());
  model::dropMeasuredKernels(*machine, request.whatIf.hardware);
  outcome.machine = machine.take();
  Result<model::Simulation> simulation = model::simulateStep(outcome.plan, outcome.machine);
  WINDLASS_TRY(simulation.status());
  outcome.report = model::reportStep(outcome.plan, outcome.machine, *simulation);
  return outcome;
}

/// One of several variants of a question.
struct Variant {
  std::string name;
  CompileRequest request;
};

/// Answers variants at the same time. Each is planned by itself, so that the outcomes, in the order of the
/// variants, do not depend on how many are planned at once. Variants warn of much the same, each in its own
/// words, so that one speaks for all: the first that is planned, which says more than one that does not fit.
std::vector<Result<Outcome>> outcomesOf(const ModelQuestion &question, std::vector<Variant> variants) {
  std::vector<Result<Outcome>> outcomes(variants.size(), Status::internal("nobody answered"));
  std::vector<std::vector<std::string>> warnings(variants.size());
  for (size_t at = 0; at < variants.size(); ++at)
    variants[at].request.warn = [&said = warnings[at]](const std::string &text) { said.push_back(text); };
  parallelFor(variants.size(), question.jobs, [&](size_t at) {
    outcomes[at] = outcomeOf(question, variants[at].request, variants[at].name);
  });
  const auto planned = std::ranges::find_if(
      outcomes, [](const Result<Outcome> &outcome) { return outcome && outcome->isPlanned; });
  const auto speaker = planned == outcomes.end() ? 0 : planned - outcomes.begin();
  std::ranges::for_each(warnings[static_cast<size_t>(speaker)], warnOnce());
  return outcomes;
}

std::string throughputOf(const StepReport &report) {
  return report.tokensPerSecond > 0 ? formatCount(std::llround(report.tokensPerSecond)) + " tokens/s"
                                    : formatRate(report.examplesPerSecond, "examples");
}

std::string fullness(const StepReport &report, plan::Tier tier) {
  const auto use = std::ranges::find(report.tiers, tier, &model::TierUse::tier);
  return use == report.tiers.end() || use->planned == 0 ? "-" : formatBytes(use->planned);
}

std::string tableOfFits(const std::string &title, const std::vector<Outcome> &outcomes) {
  Table table({title, "fits"});
  for (const Outcome &outcome : outcomes)
    table.add({outcome.name, describe(outcome.fit)});
  return table.text();
}

std::string tableOf(const std::string &title, const std::vector<Outcome> &outcomes) {
  Table table({title, "step", "bound by", "throughput", "of the peak", "device", "host", "nvme"});
  for (const Outcome &outcome : outcomes) {
    if (!outcome.fit.fits) {
      table.add({outcome.name, whyNot(outcome.fit)});
      continue;
    }
    const StepReport &report = outcome.report;
    table.add({outcome.name, formatSeconds(report.prediction.stepSeconds), report.prediction.boundBy,
               throughputOf(report), percent(report.flops.modelShare), fullness(report, plan::Tier::Device),
               fullness(report, plan::Tier::Host), fullness(report, plan::Tier::Nvme)});
  }
  return table.text();
}

json documentOf(const Outcome &outcome) {
  json document = {{"name", outcome.name}, {"fits", outcome.fit.fits}};
  if (outcome.isPlanned) {
    document.update(toJson(outcome.plan, outcome.machine, outcome.report));
    document["strategy"] = json::parse(outcome.plan.strategy);
    for (plan::Decision decision : kChoices)
      if (const plan::Reason *chosen = plan::findReason(outcome.plan.reasons, plan::textOf(decision)))
        document[std::string(plan::textOf(decision))] = chosen->taken;
  } else if (outcome.fit.fits) {
    document["how"] = outcome.fit.how;
  } else if (outcome.fit.shortage && outcome.fit.shortage->bytes > 0) {
    document["short"] = {{"tier", plan::textOf(outcome.fit.shortage->tier)},
                         {"bytes", outcome.fit.shortage->bytes},
                         {"at_least", outcome.fit.isBound}};
  } else {
    document["why"] = whyNot(outcome.fit);
  }
  return document;
}

void print(const ModelQuestion &question, const char *kind, const std::vector<Outcome> &outcomes) {
  if (!question.json) {
    printText(question.fits ? tableOfFits(kind, outcomes) : tableOf(kind, outcomes));
    return;
  }
  json rows = json::array();
  for (const Outcome &outcome : outcomes)
    rows.push_back(documentOf(outcome));
  printText(rows.dump(2) + "\n");
}

Status compareStrategies(const ModelQuestion &question) {
  std::vector<std::string> names = {"auto"};
  for (const NamedStrategy &named : namedStrategies())
    names.emplace_back(named.name);
  std::vector<Variant> variants;
  for (const std::string &name : names) {
    variants.push_back({name, requestOf(question)});
    variants.back().request.strategy = name;
  }
  std::vector<Outcome> outcomes;
  for (Result<Outcome> &outcome : outcomesOf(question, std::move(variants))) {
    WINDLASS_TRY(outcome.status());
    outcomes.push_back(outcome.take());
  }
  print(question, "strategy", outcomes);
  return Status::ok();
}

/// A bar chart of the throughput per rank: bars have one length if throughput is proportional to ranks.
std::string pictureOf(const std::vector<Outcome> &outcomes) {
  std::vector<Bar> values;
  double most = 0;
  for (const Outcome &outcome : outcomes) {
    if (outcome.isPlanned)
      values.push_back(
          {outcome.name, outcome.report.examplesPerSecond / static_cast<double>(outcome.plan.ranks()), ""});
    else
      values.push_back({outcome.name, 0, whyNot(outcome.fit)});
    most = std::max(most, values.back().value);
  }
  for (Bar &bar : values)
    if (bar.value > 0)
      bar.text = percent(bar.value / most);
  return bars("\nthroughput of a rank, beside the best", values);
}

Status scale(const ModelQuestion &question) {
  std::vector<Variant> variants;
  for (int64_t ranks : question.ranks) {
    variants.push_back({counted(ranks, "rank"), requestOf(question)});
    variants.back().request.whatIf.ranks = ranks;
  }
  std::vector<Result<Outcome>> answers = outcomesOf(question, std::move(variants));
  std::vector<Outcome> outcomes;
  Status refusal = Status::ok();
  bool hasAnswer = false;
  for (size_t at = 0; at < answers.size(); ++at) {
    Result<Outcome> &outcome = answers[at];
    if (!outcome && outcome.status().code() != ExitCode::BadInput)
      return outcome.status();
    // An error for one number of ranks does not imply errors for the others.
    hasAnswer = hasAnswer || outcome;
    if (refusal && !outcome)
      refusal = outcome.status();
    outcomes.push_back(outcome ? outcome.take()
                               : refused(counted(question.ranks[at], "rank"), outcome.status()));
  }
  if (!hasAnswer)
    return refusal;
  print(question, "ranks", outcomes);
  if (!question.json && !question.fits)
    printText(pictureOf(outcomes));
  return Status::ok();
}

Status findLargest(const ModelQuestion &question) {
  const auto growing =
      static_cast<Growing>(std::ranges::find(kGrowing, question.largest) - std::begin(kGrowing));
  std::optional<Outcome> outcome;
  Result<LargestModel> largest =
      largestModel(requestOf(question), growing, [&](const CompileRequest &request) {
        if (question.fits)
          return Status::ok();
        Result<Outcome> made = outcomeOf(question, request, "the largest");
        if (made)
          outcome = made.take();
        return made.status();
      });
  WINDLASS_TRY(largest.status());
  if (question.json) {
    json document = {{"largest", question.largest},
                     {"size", largest->size},
                     {"parameters", largest->parameters},
                     {"too_large", largest->tooLarge}};
    if (outcome)
      document["step"] = documentOf(*outcome);
    printText(document.dump(2) + "\n");
    return Status::ok();
  }
  printText("largest       " + question.largest + " " + formatCount(largest->size) + ": " +
            counted(largest->parameters, "parameter") +
            (largest->tooLarge > 0 ? "; " + formatCount(largest->tooLarge) + " does not fit" : "") + "\n");
  if (outcome)
    printText(describe(outcome->plan, outcome->machine, outcome->report));
  return Status::ok();
}

Status findSmallest(const ModelQuestion &question) {
  Result<SmallestMachine> smallest = smallestMachine(requestOf(question));
  WINDLASS_TRY(smallest.status());
  json capacities = json::array();
  Table table({"tier", "least", "of"});
  for (const LeastCapacity &capacity : smallest->capacities) {
    const std::string path = std::string(plan::textOf(capacity.tier)) + ".capacity";
    table.add({path, formatBytes(capacity.least), formatBytes(capacity.given)});
    capacities.push_back({{"key", path}, {"least_bytes", capacity.least}, {"given_bytes", capacity.given}});
  }
  if (question.json) {
    json document = {{"ranks", smallest->ranks},
                     {"too_few_ranks", smallest->tooFew},
                     {"capacities", std::move(capacities)}};
    printText(document.dump(2) + "\n");
    return Status::ok();
  }
  printText("fewest        " + counted(smallest->ranks, "rank") +
            (smallest->tooFew > 0 ? "; " + formatCount(smallest->tooFew) + " do not hold it" : "") +
            "\n\nof these, one tier at a time\n" + table.text());
  return Status::ok();
}

} // namespace

Status answer(const ModelQuestion &question) {
  if (question.strategies)
    return compareStrategies(question);
  if (!question.ranks.empty())
    return scale(question);
  if (!question.largest.empty())
    return findLargest(question);
  if (question.smallestMachine)
    return findSmallest(question);
  Result<Outcome> outcome = outcomeOf(question, requestOf(question), question.model);
  WINDLASS_TRY(outcome.status());
  if (!outcome->fit.fits)
    return Status::cannotFit("no plan fits " + question.hardware + ": " + whyNot(outcome->fit));
  if (question.json)
    printText(documentOf(*outcome).dump(2) + "\n");
  else
    printText(outcome->isPlanned ? outcome->choices + (outcome->choices.empty() ? "" : "\n") +
                                       describe(outcome->plan, outcome->machine, outcome->report)
                                 : describe(outcome->fit) + "\n");
  return Status::ok();
}

} // namespace windlass::sim
