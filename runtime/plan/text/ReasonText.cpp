// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/text/ReasonText.h"

#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/text/PlacementText.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>

namespace windlass::plan {
namespace {

/// Of a list of what fills a tier.
constexpr size_t kLongList = 120;

/// A size in bytes as people write it; other words as they are.
std::string sizeText(const std::string &value) {
  int64_t bytes = 0;
  const char *end = value.data() + value.size();
  const auto [rest, failure] = std::from_chars(value.data(), end, bytes);
  return failure == std::errc() && rest == end ? formatBytes(bytes) : value;
}

/// "1.50 MiB of 4.25 MiB of residuals kept, repeating 3.10 ms of 8.10 ms a micro-batch, the least ..."
std::string keptText(const Figures &figures) {
  const double gap = realOf(figures, Figure::Gap);
  return formatBytes(wholeOf(figures, Figure::KeptBytes)) + " of " +
         formatBytes(wholeOf(figures, Figure::ResidualBytes)) + " of residuals kept, repeating " +
         formatSeconds(realOf(figures, Figure::RepeatedSeconds)) + " of " +
         formatSeconds(realOf(figures, Figure::RepeatableSeconds)) + " a micro-batch, " +
         (gap == 0 ? "the least for these bytes (proven)"
                   : "by no more than " + percentText(gap) + " over the least for these bytes");
}

std::string listOf(const Reason &reason, const std::vector<Trial> &trials) {
  std::string text;
  for (const Trial &trial : trials)
    text += (text.empty() ? "" : "; ") + trialText(reason, trial) +
            (trial.outcome == Outcome::Taken && trials.size() > 1 ? " (taken)" : "");
  return text;
}

/// How a trial is called among others of its decision.
std::string nameOf(Decision decision, const Trial &trial) {
  if (has(trial.figures, Figure::KeptBytes))
    return keptText(trial.figures);
  if (has(trial.figures, Figure::MicroBatches))
    return trial.value + ", " + counted(wholeOf(trial.figures, Figure::MicroBatches), "micro-batch");
  return valueText(decision, trial.value) +
         (trial.wholeParameters ? " with whole parameters on the device" : "");
}

/// Where many ways are tried, a shortage is told in a few words.
std::string shortagesText(Decision decision, const std::vector<Shortage> &shortages) {
  if (shortages.empty())
    return "";
  const bool isBrief = decision == Decision::Recompute || decision == Decision::Parallel ||
                       decision == Decision::Training || decision == Decision::Slack;
  return isBrief ? " (" + shortageBriefly(shortages.front()) + ")" : ": " + shortageText(shortages.front());
}

/// "tiles of 64.0 KiB, 20.3 ms a step as laid out, for gg is busy 9.00 ms, 6.00 ms more". A strategy leaves
/// choices open: its bound may be that of the first of them, behind which no other was tried.
std::string costText(Decision decision, const Trial &trial) {
  const std::string limits = tilesText(trial.figures);
  const bool isOfTried = decision == Decision::Strategy && trial.clock == Clock::Bound;
  return (limits.empty() ? "" : limits + ", ") + secondsText(trial.seconds, trial.clock) +
         (isOfTried ? " with the choices tried" : "") +
         (trial.price.seconds > 0 ? ", for " + priceText(trial.price) : "");
}

std::string costOrFits(Decision decision, const Trial &trial) {
  return trial.clock == Clock::None ? "fits" : costText(decision, trial);
}

std::string outcomeText(Decision decision, const Trial &trial) {
  switch (trial.outcome) {
  case Outcome::DoesNotFit:
    return "does not fit" + shortagesText(decision, trial.shortages);
  case Outcome::TooMany:
    return "more than " + std::to_string(wholeOf(trial.figures, Figure::OpenChoices)) +
           " choices of what to repeat are open at once";
  case Outcome::OtherBits:
    return "changes last bits";
  case Outcome::RuledOut:
    return "ruled out, " + trial.refusal;
  case Outcome::Alike:
    return costOrFits(decision, trial) + ", as fast";
  case Outcome::TooLittle:
    return costOrFits(decision, trial) + ", faster by too little";
  case Outcome::Taken:
  case Outcome::Slower:
  case Outcome::LessBusy:
    return costOrFits(decision, trial);
  }
  return "";
}

/// "; with 34 it would begin 533 us too late"
std::string windowEnd(const FetchWindow &window, const std::string &credits) {
  int64_t count = 0;
  std::from_chars(credits.data(), credits.data() + credits.size(), count);
  std::string text = ", and no other begins earlier";
  if (count != 1)
    text = "; with " + std::to_string(count - 1) + " " +
           (window.lastWhat.empty() ? "it"
                                    : "\"" + window.lastWhat + (window.lastFunction.empty() ? "" : " ") +
                                          window.lastFunction + "\"") +
           " would begin " + formatSeconds(window.late) + " too late";
  return text;
}

/// "3 under way: "gather decay.0 h.0" begins 105 us before its user, itself taking 105 us (...)"; or "3 would
/// be under way, memory holds 2: ..."
std::string windowText(const Reason &reason) {
  const FetchWindow &window = reason.window;
  const std::string held =
      window.held > 0 ? " would be under way, memory holds " + std::to_string(window.held) : " under way";
  return reason.taken + held + ": \"" + window.what + (window.function.empty() ? "" : " ") + window.function +
         "\" begins " + formatSeconds(window.ahead) + " before its user, itself taking " +
         formatSeconds(window.seconds) + " (" + window.latency.key + " " +
         formatSeconds(window.latency.seconds) + ", " + formatBytes(window.bytes) + " at " +
         (window.shares > 1 ? std::to_string(window.shares) + " x " : "") + rateText(window.rate) + ")" +
         windowEnd(window, reason.taken);
}

/// The last whole way of recomputation that was tried before anything was found to fit.
const Shortage *shortBefore(const Reason &reason) {
  const Shortage *last = nullptr;
  for (const Trial &trial : reason.trials) {
    if (trial.outcome != Outcome::DoesNotFit || has(trial.figures, Figure::KeptBytes))
      break;
    if (!trial.shortages.empty())
      last = &trial.shortages.front();
  }
  return last;
}

std::string whyRepeated(const Reason &reason) {
  if (reason.basis == Basis::Fastest)
    return "that is faster";
  const Shortage *shortage = shortBefore(reason);
  return "what was tried before did not fit" + (shortage ? ": " + shortageText(*shortage) : "");
}

std::string recomputeText(const Reason &reason) {
  if (reason.basis == Basis::Asked)
    return reason.taken + ", as asked";
  if (reason.basis == Basis::Implied && reason.rests.empty())
    return reason.taken + ": activation checkpoints are placed by name";
  if (reason.basis == Basis::Implied)
    return reason.taken + ": placement.checkpoint \"" + std::string(textOf(reason.rests.front().tier)) +
           "\" asks for it: what rests there is what layers keep in place of their residuals";
  if (reason.taken == "none")
    return reason.taken + ": all residuals fit";
  const Trial *taken = takenTrial(reason);
  std::string what = "each layer keeps its input and repeats its forward pass";
  if (taken && has(taken->figures, Figure::KeptBytes))
    what = "a rank keeps no more than these and the inputs of layers, " + keptText(taken->figures);
  else if (has(reason.figures, Figure::RepeatedLayers))
    what = "the first " + std::to_string(wholeOf(reason.figures, Figure::RepeatedLayers)) + " of " +
           std::to_string(wholeOf(reason.figures, Figure::TrainedLayers)) +
           " layers keep their input and repeat their forward pass";
  return reason.taken + ": " + what + ", because " + whyRepeated(reason);
}

/// "24.9 MiB" that the trial `value` sums.
std::string summedBytes(const Reason &reason, std::string_view value) {
  const Trial *trial = findTrial(reason, value);
  return formatBytes(trial ? wholeOf(trial->figures, Figure::SummedBytes) : 0);
}

std::string cadenceText(const Reason &reason) {
  const Trial *micro = findTrial(reason, "micro_batch");
  const std::string held = formatBytes(wholeOf(reason.figures, Figure::HeldBytes));
  const std::string each = std::to_string(micro ? wholeOf(micro->figures, Figure::Sums) : 0) +
                           " times a step, " + summedBytes(reason, "micro_batch");
  const std::string once = summedBytes(reason, "step");
  if (reason.taken == "micro_batch")
    return "micro_batch: gradients are summed over ranks " + each + "; \"step\" would do so once, " + once +
           ", keep " + held + " more on each rank, need zero_stage 0 or 1 and change last bits";
  return "step: gradients are summed over ranks once a step, " + once + "; \"micro_batch\" would do so " +
         each + ", keep " + held + " less on each rank, allow every zero_stage and change last bits";
}

std::string tileText(const Reason &reason) {
  return reason.taken + ": " + tilesText(reason.figures) + " at most, the largest tried that fit; " +
         tileKeysText(reason.figures) + " in the training file makes the same numbers on any machine";
}

/// "parallel": {"data": 1, "tensor": 2}, "micro_batches": 4, as a training file says what `--parallel` does.
std::string meshKeysText(const Trial &mesh) {
  std::string axes = "\"";
  for (char c : mesh.value)
    axes += c == '=' ? "\": " : c == ',' ? ", \"" : std::string(1, c);
  const std::string limits = tilesText(mesh.figures).empty() ? "" : ", " + tileKeysText(mesh.figures);
  return "\"parallel\": {" + axes +
         "}, \"micro_batches\": " + std::to_string(wholeOf(mesh.figures, Figure::MicroBatches)) + limits;
}

/// The mesh that was taken, then each other one.
std::vector<std::string> meshParts(const Reason &reason) {
  std::vector<std::string> parts(1);
  for (const Trial &trial : reason.trials) {
    if (trial.outcome != Outcome::Taken)
      parts.push_back(trialText(reason, trial));
    else
      parts.front() = trialText(reason, trial) + "; " + meshKeysText(trial) +
                      " in the training file, whose other keys stay, says the same; another number of tensor "
                      "ranks changes last bits";
  }
  return parts;
}

/// "micro_batch=4,parallel.shard=16" as a training file says it: "micro_batch": 4, "parallel": {"shard": 16}
std::string trainingKeysText(std::string_view change) {
  std::vector<std::pair<std::string, std::string>>
      keys; // with their values, or with the members of an object
  const auto quoted = [](std::string_view word) { return "\"" + std::string(word) + "\""; };
  while (!change.empty()) {
    const std::string_view entry = change.substr(0, change.find(',')),
                           path = entry.substr(0, entry.find('=')), value = entry.substr(path.size() + 1),
                           key = path.substr(0, path.find('.'));
    const bool isNumber = std::ranges::all_of(value, [](unsigned char c) { return std::isdigit(c) != 0; });
    const std::string spelt = isNumber ? std::string(value) : quoted(value);
    const std::string member = key == path ? spelt : quoted(path.substr(key.size() + 1)) + ": " + spelt;
    if (keys.empty() || keys.back().first != key)
      keys.emplace_back(key, member);
    else
      keys.back().second += ", " + member;
    change.remove_prefix(std::min(entry.size() + 1, change.size()));
  }
  std::string text;
  for (const auto &[key, value] : keys)
    text += (text.empty() ? "" : ", ") + quoted(key) + ": " +
            (value.find(": ") != std::string::npos ? "{" + value + "}" : value);
  return text;
}

/// "5.3 times as fast", "12 % less time"
std::string gainText(double before, double now) {
  constexpr double fewTimes = 1.5;
  if (before < fewTimes * now)
    return percentText(1 - now / before) + " less time";
  char text[32];
  std::snprintf(text, sizeof(text), "%.2g times as fast", before / now);
  return text;
}

/// What was taken of the training files that were tried, then each other one.
std::vector<std::string> trainingParts(const Reason &reason) {
  std::vector<std::string> parts(1);
  const Trial *written = findTrial(reason, kAsWritten);
  for (const Trial &trial : reason.trials) {
    if (trial.outcome != Outcome::Taken) {
      parts.push_back(trialText(reason, trial));
      continue;
    }
    parts.front() = trialText(reason, trial);
    if (&trial == written)
      continue;
    if (written && written->clock == Clock::LaidOut)
      parts.front() += ", " + gainText(written->seconds, trial.seconds);
    parts.front() +=
        "; " + trainingKeysText(trial.value) + " in the training file says the same, which changes last bits";
  }
  return parts;
}

/// An overview has the others that were tried where one of them was taken, and the gap.
std::vector<std::string> strategyParts(const Reason &reason) {
  std::vector<std::string> parts;
  if (reason.taken != "auto")
    parts.push_back(reason.taken + ": " + listOf(reason, reason.trials));
  const Trial *taken = takenTrial(reason);
  if (taken && has(reason.figures, Figure::Gap)) {
    const double gap = realOf(reason.figures, Figure::Gap);
    parts.push_back(formatSeconds(taken->seconds) + " a step, no more than " + percentText(gap) +
                    " over what every plan takes");
  }
  return parts;
}

bool changesTiles(const Figures &limits) { return has(limits, Figure::TileBytes); }
bool changesBlocks(const Figures &limits) { return has(limits, Figure::AttentionBytes); }

} // namespace

std::string titleOf(const Reason &reason) {
  return titleOfAllStages(reason) +
         (reason.stage == kEveryStage ? "" : ", stage " + std::to_string(reason.stage));
}

std::string titleOfAllStages(const Reason &reason) {
  const std::string &subject = reason.subject;
  return reason.decision == Decision::Placement && !subject.empty() ? "placement of " + subject
                                                                    : pathOf(reason);
}

std::string percentText(double share) {
  char percent[32];
  std::snprintf(percent, sizeof(percent), share < 1 ? "%.2g %%" : "%.0f %%", 100 * share);
  return percent;
}

std::string rateText(const QuotedRate &rate) {
  return rate.key + " " + formatRate(rate.perSecond, rate.unit) +
         (rate.measured ? " (measured)" : " (declared)");
}

std::string secondsText(double seconds, Clock clock) {
  switch (clock) {
  case Clock::None:
    return "";
  case Clock::LaidOut:
    return formatSeconds(seconds) + " a step as laid out";
  case Clock::InOrder:
    return formatSeconds(seconds) + " a step, not laid out";
  case Clock::Computation:
    return formatSeconds(seconds) + " a step of computation alone";
  case Clock::Bound:
    return "at least " + formatSeconds(seconds) + " a step";
  }
  return "";
}

std::string valueText(Decision decision, const std::string &value) {
  switch (decision) {
  case Decision::Bucket:
  case Decision::Slack:
    return sizeText(value);
  case Decision::Persistence:
    return "parameters of up to " + value;
  case Decision::ReshardAfterForward:
    return value == "0" ? "none" : value;
  case Decision::Strategy:
  case Decision::Recompute:
  case Decision::ZeroStage:
  case Decision::Placement:
  case Decision::Prefetch:
  case Decision::MicroBatchOrder:
  case Decision::SequenceParallel:
  case Decision::ReshardActivations:
  case Decision::CheckpointPartition:
  case Decision::PipelineSchedule:
  case Decision::Cadence:
  case Decision::Tile:
  case Decision::Parallel:
    return value;
  case Decision::Training:
    return value == kAsWritten ? "as the training file says" : value;
  }
  return value;
}

std::string trialText(const Reason &reason, const Trial &trial) {
  return nameOf(reason.decision, trial) + ": " + outcomeText(reason.decision, trial);
}

/// The schedules that were tried. Decisions inside the stages were made under the first of them.
std::string scheduleText(const Reason &reason) {
  const std::string tried = listOf(reason, reason.trials);
  if (reason.trials.empty() || reason.trials.front().value == reason.taken)
    return tried;
  return tried + "; what stages decide was decided under " + reason.trials.front().value +
         ", and has its seconds";
}

std::vector<std::string> reasonParts(const Reason &reason) {
  switch (reason.decision) {
  case Decision::Strategy:
    return strategyParts(reason);
  case Decision::Recompute:
    return {recomputeText(reason)};
  case Decision::Placement:
    return reason.subject.empty() ? std::vector<std::string>{placementText(reason)} : homesParts(reason);
  case Decision::Prefetch:
    return {windowText(reason)};
  case Decision::Bucket:
    return {valueText(reason.decision, reason.taken) + " of parameters by one collective; " +
            listOf(reason, reason.trials)};
  case Decision::Persistence:
    return {valueText(reason.decision, reason.taken) + " elements stay whole; " +
            listOf(reason, reason.trials)};
  case Decision::ReshardAfterForward:
    return {valueText(reason.decision, reason.taken) + " of " +
            counted(wholeOf(reason.figures, Figure::Buckets), "bucket") +
            " stay gathered for the backward pass; " + listOf(reason, reason.trials)};
  case Decision::ZeroStage:
  case Decision::MicroBatchOrder:
  case Decision::SequenceParallel:
  case Decision::ReshardActivations:
  case Decision::CheckpointPartition:
    return {listOf(reason, reason.trials)};
  case Decision::PipelineSchedule:
    return {scheduleText(reason)};
  case Decision::Cadence:
    return {cadenceText(reason)};
  case Decision::Tile:
    return {tileText(reason)};
  case Decision::Parallel:
    return meshParts(reason);
  case Decision::Training:
    return trainingParts(reason);
  case Decision::Slack:
    return {valueText(reason.decision, reason.taken) + " stay free of fetches ahead, so that buffers pack; " +
            listOf(reason, reason.trials)};
  }
  return {};
}

std::string reasonText(const Reason &reason) {
  std::string text;
  for (const std::string &part : reasonParts(reason))
    text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string triedText(const Reason &reason) {
  const bool isLong = (reason.decision == Decision::Recompute && reason.trials.size() > 1) ||
                      (reason.decision == Decision::Strategy && reason.taken == "auto");
  return isLong ? listOf(reason, reason.trials) : "";
}

std::string consumersText(const std::vector<Consumer> &largest) {
  std::string text;
  for (const Consumer &consumer : largest)
    if (text.size() < kLongList)
      text += (text.empty() ? "" : ", ") + consumer.name + " " + formatBytes(consumer.bytes);
  return text;
}

/// "h.3.moments" 1.20 MiB, "h.2.moments" 1.20 MiB
static std::string itemsText(const std::vector<Consumer> &largest) {
  std::string text;
  for (const Consumer &item : largest)
    text += (text.empty() ? "\"" : ", \"") + item.name + "\" " + formatBytes(item.bytes);
  return text;
}

std::string shortageBriefly(const Shortage &shortage, bool isBound) {
  return std::string(textOf(shortage.tier)) + " is " + (isBound ? "at least " : "") +
         formatBytes(shortage.bytes) + " short";
}

std::string shortageText(const Shortage &shortage) {
  const std::string tier(textOf(shortage.tier)),
      missing = std::to_string(shortage.bytes) + " bytes (" + formatBytes(shortage.bytes) + ")";
  switch (shortage.of) {
  case Lack::Arena:
    return "the " + tier + " arena of a rank is short by " + missing + ": it needs " +
           formatBytes(shortage.needed) + ", the machine has " + formatBytes(shortage.capacity) +
           (shortage.largest.empty() ? "" : " (largest: " + consumersText(shortage.largest) + ")");
  case Lack::States:
    return "tier \"" + tier + "\" is " + missing + " short on each rank; the largest items are " +
           itemsText(shortage.largest);
  case Lack::EveryTier:
    return "the states fit no tier: no single tier made larger would hold them; the largest are " +
           itemsText(shortage.largest);
  case Lack::Class:
    return shortageBriefly(shortage) + " of it";
  }
  return "";
}

std::string tilesText(const Figures &limits) {
  std::string text;
  if (changesTiles(limits))
    text = "tiles of " + formatBytes(wholeOf(limits, Figure::TileBytes));
  if (changesBlocks(limits))
    text += (text.empty() ? "" : " and ") +
            ("blocks of attention of " + formatBytes(wholeOf(limits, Figure::AttentionBytes)));
  return text;
}

std::string tileKeysText(const Figures &limits) {
  std::string keys;
  if (changesTiles(limits))
    keys = "\"limit\": " + std::to_string(wholeOf(limits, Figure::TileBytes)) +
           ", \"activation\": " + std::to_string(wholeOf(limits, Figure::ActivationBytes));
  if (changesBlocks(limits))
    keys += (keys.empty() ? "" : ", ") +
            ("\"attention\": " + std::to_string(wholeOf(limits, Figure::AttentionBytes)));
  return "\"tile\": {" + keys + "}";
}

} // namespace windlass::plan
