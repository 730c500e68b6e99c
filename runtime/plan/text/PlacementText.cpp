// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/text/PlacementText.h"

#include "runtime/base/Units.h"
#include "runtime/plan/text/ReasonText.h"
#include <cmath>

namespace windlass::plan {
namespace {

std::string wordOf(auto value) { return std::string(textOf(value)); }

/// "device 2 of 6 (1.20 MiB on each rank), nvme 4 of 6 (2.40 MiB on each rank)"
std::string whereabouts(const Reason &reason) {
  int64_t all = 0;
  for (const Resting &resting : reason.rests)
    all += resting.items;
  std::string text;
  for (const Resting &resting : reason.rests)
    text += (text.empty() ? "" : ", ") + wordOf(resting.tier) +
            (resting.items < all ? " " + std::to_string(resting.items) + " of " + std::to_string(all) : "") +
            " (" + formatBytes(resting.bytes) + " on each rank)";
  return text;
}

/// ", 300 us more": two nearly equal times would print alike.
std::string more(double seconds) {
  return ", " + formatSeconds(std::abs(seconds)) + (seconds < 0 ? " less" : " more");
}

/// What the best placement with all of a class on another tier would cost.
std::string alternativeText(const Trial &trial, const Trial &taken) {
  std::string opening = "all on " + trial.value + ": ", missing;
  for (const Shortage &shortage : trial.shortages)
    missing += (missing.empty() ? "" : ", ") + shortageBriefly(shortage) + " of it";
  if (trial.outcome == Outcome::DoesNotFit)
    return opening + (missing.empty() ? "nothing fits" : missing + ", whatever else moves");
  if (!missing.empty())
    opening += missing + "; making room, ";
  const std::string price = priceText(trial.price);
  if (trial.outcome == Outcome::Slower)
    return opening + "a step takes at least " + formatSeconds(trial.seconds) +
           more(trial.seconds - taken.seconds) + ", for " + price;
  if (trial.outcome == Outcome::LessBusy)
    return opening + "the busiest resource takes " + formatSeconds(taken.seconds - trial.seconds) +
           " less a step, but " + price;
  return opening + "no faster, and " + price;
}

} // namespace

std::string priceText(const Price &price) {
  return wordOf(price.resource) + " is busy " + formatSeconds(price.seconds) +
         (price.rate.key.empty() ? "" : " at " + rateText(price.rate)) +
         (price.before > 0 ? more(price.seconds - price.before) : ", idle now");
}

std::string placementText(const Reason &reason) {
  const double gap = realOf(reason.figures, Figure::Gap);
  std::string text = "no placement has a bound that is lower" +
                     (gap == 0 ? " (proven)" : " by more than " + percentText(gap));
  const Trial *taken = takenTrial(reason);
  if (!taken)
    return text;
  text = wordOf(taken->price.resource) + ", the busiest resource, takes " +
         formatSeconds(taken->price.seconds) + " a step; " + text;
  for (const Trial &trial : reason.trials)
    if (&trial != taken)
      text += "; all on the device a step is laid out in " + formatSeconds(taken->seconds) +
              ", where homes keep the busiest resource least busy in " + formatSeconds(trial.seconds);
  return text;
}

std::vector<std::string> homesParts(const Reason &reason) {
  std::vector<std::string> parts = {whereabouts(reason)};
  const Trial *taken = takenTrial(reason);
  for (const Trial &trial : reason.trials)
    if (&trial != taken)
      parts.push_back(alternativeText(trial, *taken));
  if (reason.basis == Basis::Asked)
    parts.back() += ", pinned there";
  if (reason.basis == Basis::Strategy)
    parts.back() += ", where the strategy has it";
  return parts;
}

} // namespace windlass::plan
