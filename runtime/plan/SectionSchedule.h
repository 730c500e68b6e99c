// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SectionSchedule.h - which sections run, how often, in which order =====//
//
// Duty: a schedule of a program run by run: which section, and which micro-batch
// its instructions count from. Nobody else knows how a step is put together: a
// step of one section, one that is a loop with a beginning and an end, and a
// pipeline's warm-up and drain differ in their data alone.
// All ask for a well-formed plan (WellFormed.h).
// Units: micro-batches of a rank, from 0. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace windlass::plan {

inline constexpr Purpose kPurposes[] = {Purpose::Train, Purpose::Evaluate, Purpose::Sample};

/// Empty where the program does not serve the purpose.
const std::vector<SectionRuns> &scheduleOf(const Program &program, Purpose purpose);
std::vector<SectionRuns> &scheduleOf(Program &program, Purpose purpose);
inline bool serves(const Program &program, Purpose purpose) { return !scheduleOf(program, purpose).empty(); }
/// A plan serves what its programs do; all of them do, in a sound one.
inline bool serves(const Plan &plan, Purpose purpose) { return serves(plan.programs.front(), purpose); }

/// Of one run of a schedule: those of a step, or the one that is evaluated or sampled.
int64_t microBatchesOf(const Plan &plan, Purpose purpose);

/// One run of a section.
struct SectionRun {
  uint32_t section = 0;   ///< index into Program::sections
  int64_t microBatch = 0; ///< an instruction's own is this plus Instruction::microBatch
};

/// A schedule run by run; of more than `most` runs of a section in a row only `most`, and those behind count
/// their micro-batches on from there.
std::vector<SectionRun> unroll(const Program &program, Purpose purpose,
                               int64_t most = std::numeric_limits<int64_t>::max());

/// What a section runs for; none where no schedule has it.
std::optional<Purpose> purposeOf(const Program &program, uint32_t section);

/// The sections that may run just before one, each once; empty where it always begins a schedule, behind a
/// drain.
std::vector<uint32_t> predecessorsOf(const Program &program, uint32_t section);

} // namespace windlass::plan
