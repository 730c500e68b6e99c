// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunReport.h - what was planned, what happened =========================//
//
// Duty: the screen at the end of a run: memory planned and measured per tier,
// step time predicted and measured, transfers hidden, bytes written, files left.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/Trainer.h"
#include "runtime/training/report/TierUse.h"

namespace windlass {

/// The middle value; 0 of none.
double median(std::vector<double> values);

std::string describeRun(const plan::Plan &plan, const MemoryUse &memory, const RunSummary &summary);
/// Where a run finds things, as people read it.
struct RunPlaces {
  std::string data;
  std::string checkpoint; ///< that it begins with; empty: none
  std::string processes;  ///< of its job, and the folder they write to; empty for one process
  std::string out;
};
/// One screen before training: model, ranks, data, where it starts.
std::string describeStart(const plan::Plan &plan, const RunPlaces &places, const TrainerState &start,
                          int64_t steps);

} // namespace windlass
