// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunReport.h - what was planned, what happened =======================//
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
/// One screen before training: model, ranks, data, where it starts. `job`: its processes; empty for one.
std::string describeStart(const plan::Plan &plan, const std::string &data, const TrainerState &start,
                          const std::string &checkpoint, int64_t steps, const std::string &job = "");

} // namespace windlass
