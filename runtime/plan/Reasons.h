// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Reasons.h - the words of reasons, and what is looked up in them =======//
//
// Duty: the closed enums that the records of Reason.h hold, made from Reasons.def, and how a decision, a
// trial or a figure is found in records.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Reason.h"
#include "runtime/plan/Words.h"

namespace windlass::plan {

#define WINDLASS_ENUM_BEGIN(Name) enum class Name : uint8_t {
#define WINDLASS_ENUM_CASE(Name, Id, Text) Id,
#define WINDLASS_ENUM_END(Name)                                                                              \
  }                                                                                                          \
  ;
#include "runtime/plan/Reasons.def"

#define WINDLASS_ENUM_BEGIN(Name) template <> std::span<const std::string_view> wordsOf<Name>();
#include "runtime/plan/Reasons.def"

enum class FigureUnit : uint8_t { Count, Bytes, Seconds, Share };
FigureUnit unitOf(Figure figure);

bool has(const Figures &figures, Figure figure);
/// 0 where it is not there.
double realOf(const Figures &figures, Figure figure);
int64_t wholeOf(const Figures &figures, Figure figure);

/// Values of placements, beside the tiers: a class rests on several; homes as solved for, or all on the
/// device.
inline constexpr std::string_view kSplit = "split", kLeastBusy = "least_busy", kOnDevice = "on_device";

/// The value of what a training file says, beside those of other keys, "micro_batch=4,micro_batches=2".
inline constexpr std::string_view kAsWritten = "as_written";

/// What decisions of a kind may be about, beside the whole model ("").
std::span<const std::string_view> subjectsOf(Decision decision);

/// The decision as strategies and `windlass-dump` call it, whatever the stage: "recompute",
/// "placement.param".
std::string pathOf(const Reason &reason);
/// The first, of whatever stage; null where there is none.
const Reason *findReason(const std::vector<Reason> &reasons, std::string_view path);
/// That of a stage, or of all stages; null where there is none.
const Reason *findReason(const std::vector<Reason> &reasons, std::string_view path, int64_t stage);
const Trial *findTrial(const Reason &reason, std::string_view value);
const Trial *takenTrial(const Reason &reason);

} // namespace windlass::plan
