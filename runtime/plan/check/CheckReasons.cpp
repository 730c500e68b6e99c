// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckReasons.h"

#include "runtime/plan/file/Schema.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace windlass::plan {
namespace {

/// No figure is larger: 30 million years, or a rate that no link has.
constexpr double kMost = 1e15;

Status refused(const std::string &place, const std::string &rule) {
  return Status::badInput(place + ": " + rule);
}

std::string at(const std::string &list, size_t index) { return list + "[" + std::to_string(index) + "]"; }

Status checkReal(double value, const std::string &place) {
  return value >= 0 && value <= kMost
             ? Status::ok()
             : refused(place, std::to_string(value) + " is not from 0 to " + std::to_string(kMost));
}

Status checkFigures(const Figures &figures, const std::string &place) {
  std::set<Figure> known;
  for (const auto &[figure, value] : figures) {
    const std::string name = place + ".figures." + std::string(textOf(figure));
    if (!known.insert(figure).second)
      return refused(name, "stands twice");
    WINDLASS_TRY(checkReal(value, name));
    const FigureUnit unit = unitOf(figure);
    if ((unit == FigureUnit::Count || unit == FigureUnit::Bytes) &&
        (value != std::floor(value) || value > static_cast<double>(kLargest)))
      return refused(name, std::to_string(value) + " is no whole number up to " + std::to_string(kLargest));
  }
  return Status::ok();
}

Status checkTrial(const Trial &trial, const std::string &place) {
  WINDLASS_TRY(checkReal(trial.seconds, place + ".seconds"));
  WINDLASS_TRY(checkReal(trial.price.seconds, place + ".price.seconds"));
  WINDLASS_TRY(checkReal(trial.price.before, place + ".price.before"));
  WINDLASS_TRY(checkReal(trial.price.rate.perSecond, place + ".price.rate.per_second"));
  if ((trial.outcome == Outcome::RuledOut) == trial.refusal.empty())
    return refused(place, "must say what was refused if it is ruled out, and only then");
  return checkFigures(trial.figures, place);
}

/// Exactly one was taken, if any was tried; it is what the reason says, and nothing slower is faster.
Status checkTrials(const Reason &reason, const std::string &place) {
  if (reason.trials.empty())
    return Status::ok();
  const auto count = std::ranges::count(reason.trials, Outcome::Taken, &Trial::outcome);
  if (count != 1)
    return refused(place, std::to_string(count) + " of the trials were taken: must be one");
  const Trial &taken = *takenTrial(reason);
  if (taken.value != reason.taken)
    return refused(place,
                   "takes \"" + reason.taken + "\", but of the trials \"" + taken.value + "\" was taken");
  for (size_t i = 0; i < reason.trials.size(); ++i) {
    const Trial &trial = reason.trials[i];
    WINDLASS_TRY(checkTrial(trial, place + at(".trials", i)));
    if (trial.outcome == Outcome::Slower && trial.clock != Clock::None && taken.clock != Clock::None &&
        trial.seconds < taken.seconds)
      return refused(place + at(".trials", i), "is slower, and takes less than what was taken");
  }
  return Status::ok();
}

} // namespace

Status checkReasons(const std::vector<Reason> &reasons, int64_t stages) {
  std::set<std::pair<std::string, int64_t>> known;
  for (size_t i = 0; i < reasons.size(); ++i) {
    const Reason &reason = reasons[i];
    const std::string place = at("reasons", i);
    const int64_t stage = reason.stage;
    if (!std::ranges::count(subjectsOf(reason.decision), reason.subject))
      return refused(place, "\"" + std::string(textOf(reason.decision)) + "\" is not decided for \"" +
                                reason.subject + "\"");
    if (stage < kEveryStage || stage >= stages)
      return refused(place,
                     "stage " + std::to_string(stage) + " is none of the plan's " + std::to_string(stages));
    if (!known.insert({pathOf(reason), stage}).second)
      return refused(place, "\"" + pathOf(reason) + "\" has a reason before it");
    for (double seconds : {reason.window.ahead, reason.window.seconds, reason.window.late,
                           reason.window.latency.seconds, reason.window.rate.perSecond})
      WINDLASS_TRY(checkReal(seconds, place + ".window"));
    WINDLASS_TRY(checkFigures(reason.figures, place));
    WINDLASS_TRY(checkTrials(reason, place));
  }
  return Status::ok();
}

} // namespace windlass::plan
