// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReasonText.h - reasons as sentences ===================================//
//
// Duty: the one place where records of Reasons.h become text: for `windlass-dump`, for the compile screen and
// for refusals. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Reasons.h"

namespace windlass::plan {

/// As screens call a reason: "placement of param", "prefetch.nc, stage 1", "recompute".
std::string titleOf(const Reason &reason);
/// The same, whatever its stage.
std::string titleOfAllStages(const Reason &reason);

/// What was decided and why; then, of placements, each alternative. Empty where all there is to say is what
/// triedText says.
std::vector<std::string> reasonParts(const Reason &reason);
/// The same in one line.
std::string reasonText(const Reason &reason);
/// All that was tried, where that is more than an overview has room for; else empty.
std::string triedText(const Reason &reason);
/// A value of a decision as people read it: "4.50 MiB", "parameters of up to 921".
std::string valueText(Decision decision, const std::string &value);
/// "layers:2: 163 ms a step as laid out"
std::string trialText(const Reason &reason, const Trial &trial);

/// "5.3 %"
std::string percentText(double share);
/// "nvme.read 3.80 GB/s (measured)"
std::string rateText(const QuotedRate &rate);
/// "159 ms a step as laid out"
std::string secondsText(double seconds, Clock clock);
/// What a tier lacks and what fills it: the message of a refusal, too.
std::string shortageText(const Shortage &shortage);
/// "device is 3.03 MiB short"; of a lower bound "device is at least 3.03 MiB short".
std::string shortageBriefly(const Shortage &shortage, bool isBound = false);
/// "parameter 3.10 MiB, activation 2.00 MiB": as many of the first as a line has room for.
std::string consumersText(const std::vector<Consumer> &largest);
/// "tiles of 64.0 KiB and blocks of attention of 1.00 MiB": limits that are among the figures.
std::string tilesText(const Figures &limits);
/// "tile": {"limit": 65536, "activation": 65536}, the same as a training file has it.
std::string tileKeysText(const Figures &limits);

} // namespace windlass::plan
