// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/PlanChoice.h"

#include "compiler/driver/questions/FitQuestion.h"
#include "compiler/driver/search/Trials.h"
#include "planning/Tolerances.h"
#include "runtime/plan/Reasons.h"
#include <algorithm>

namespace windlass {
namespace {

/// The same request without files, snapshots, timing, progress and warnings.
CompileRequest quiet(CompileRequest request) {
  request.output.clear();
  request.dumpPhases.clear();
  request.timing = nullptr;
  request.progress = [](const std::string &) {};
  request.warn = request.account = request.progress;
  return request;
}

double busyIn(const plan::Prediction &prediction, plan::Lane lane) {
  const auto found = std::ranges::find(prediction.busy, lane, &std::pair<plan::Lane, double>::first);
  return found == prediction.busy.end() ? 0 : found->second;
}

/// The lane whose seconds are most above those in the plan that is taken; none if no lane has more, and the
/// step is slower by waits.
plan::Price priceOf(const plan::Prediction &prediction, const plan::Prediction &taken) {
  constexpr double kLeast = 1e-9; // seconds: smaller differences are rounding
  plan::Price price;
  for (const auto &[lane, seconds] : prediction.busy)
    if (const double before = busyIn(taken, lane);
        seconds - before > std::max(kLeast, price.seconds - price.before))
      price = {*plan::fromText<plan::Resource>(plan::textOf(lane)), seconds, before};
  return price;
}

/// The limits of tiles that the planner of `plan` chose; empty if it chose none.
plan::Figures tilesOf(const plan::Plan &plan) {
  const plan::Reason *tile = plan::findReason(plan.reasons, plan::textOf(plan::Decision::Tile));
  return tile ? tile->figures : plan::Figures();
}

} // namespace

Result<bool> PlanChoice::tryOption(const Option &option) {
  asked.progress("planning with " + option.text);
  CompileRequest request = quiet(option.request);
  if (tried.empty()) { // warnings about the model, once
    request.warn = [this](const std::string &text) { warn(text); };
    request.account = asked.account;
  }
  Result<std::unique_ptr<FitQuestion>> question = FitQuestion::of(request);
  if (!question)
    return recordRefusal(option, question.status());
  Result<FitAnswer> answer = (*question)->ask((*question)->machine());
  if (!answer)
    return recordRefusal(option, answer.status());
  const double least = answer->fits && best ? (*question)->leastSeconds() : 0;
  if (answer->fits && !(least > 0 && least > mostSeconds()))
    return planOption(option);
  if (answer->fits)
    record(option, atLeast(option.text, least));
  else
    record(option, infeasible(option.text, answer->shortage), whyNot(*answer));
  return false;
}

Result<bool> PlanChoice::tryTiles(const Option &option) {
  asked.progress("planning with " + option.text + " and smaller tiles");
  return planOption(option);
}

Result<bool> PlanChoice::planOption(const Option &option) {
  std::vector<std::string> said;
  CompileRequest request = quiet(option.request);
  request.warn = [&](const std::string &text) { said.push_back(text); };
  if (best)
    request.limit = best->made.plan.prediction.stepSeconds;
  Result<UnwrittenPlan> made = make(request);
  if (!made && made.status().code() == ExitCode::CannotFit && !before.empty()) {
    recordAsBefore(option);
    return false;
  }
  if (!made)
    return recordRefusal(option, made.status());
  if (made->slow) {
    made->slow->value = option.text;
    record(option, *made->slow);
    return false;
  }
  const bool isBest = add(option, made.take());
  if (isBest)
    warnings = std::move(said);
  return isBest;
}

bool PlanChoice::add(const Option &option, UnwrittenPlan made) {
  const plan::Prediction &prediction = made.plan.prediction;
  record(option, {.value = option.text,
                  .clock = plan::Clock::LaidOut,
                  .seconds = prediction.stepSeconds,
                  .figures = tilesOf(made.plan)});
  tried.back().prediction = prediction;
  if (best && prediction.stepSeconds >= mostSeconds())
    return false;
  best = Choice{option, std::move(made), {}};
  return true;
}

Result<Choice> PlanChoice::finish(const std::string &where) {
  if (!best && refused)
    return Status::cannotFit("no plan fits " + asked.hardware + " " + where + "\n" + refusals());
  if (!best)
    return refused;
  std::ranges::for_each(warnings, [this](const std::string &warning) { warn(warning); });
  const plan::Prediction &fastest = best->made.plan.prediction;
  Trials trials;
  for (Tried &one : tried) {
    one.trial.price = priceOf(one.prediction, fastest);
    trials.push_back(one.trial);
  }
  best->reason = reasonOf(decision, best->option.text, plan::Basis::Fastest, std::move(trials));
  return std::move(*best);
}

void PlanChoice::ruleOut(const Option &option, const std::string &why) {
  record(option, {.value = option.text, .outcome = plan::Outcome::RuledOut, .refusal = why}, why);
}

void PlanChoice::record(const Option &option, plan::Trial trial, const std::string &why) {
  trial.figures.insert(trial.figures.begin(), option.figures.begin(), option.figures.end());
  tried.push_back({option.text, std::move(trial), {}, why});
}

/// Records the result that an option had before begin(), since tiles do not help it either.
void PlanChoice::recordAsBefore(const Option &option) {
  tried.push_back(*std::ranges::find(before, option.text, &Tried::option));
}

/// Records an option that the model or another key rules out (BadInput), or that a bug of ours ends; other
/// options remain. Any other failure is returned.
Result<bool> PlanChoice::recordRefusal(const Option &option, const Status &status) {
  if (status.code() != ExitCode::BadInput && status.code() != ExitCode::Internal)
    return status;
  if (refused)
    refused = status;
  asked.progress(option.text + ": " + status.message());
  ruleOut(option, status.message());
  return false;
}

/// Passes on each warning once.
void PlanChoice::warn(const std::string &text) {
  if (warned.insert(text).second)
    asked.warn(text);
}

/// A plan that takes no fewer seconds than this is no better than the best.
double PlanChoice::mostSeconds() const {
  return best->made.plan.prediction.stepSeconds * (1 - planning::kNearly);
}

/// "data=2,tensor=1: device is 3.03 MiB short", a line of each option where none has a plan.
std::string PlanChoice::refusals() const {
  std::string text;
  for (const Tried &one : tried)
    text += one.option + ": " + one.why + "\n";
  return text;
}

} // namespace windlass
