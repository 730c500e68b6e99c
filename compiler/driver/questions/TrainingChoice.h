// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingChoice.h - chooses training keys that change last bits ========//
//
// Duty: `--may-change-bits`: finds the training file with the fastest step among those that train the same up
// to last bits. Four values may differ from the given file: the size of a micro-batch, with the same global
// batch, if examples are independent (MeetingExamples.h); the ranks that share out states, and
// whether all ranks share out gradients and optimizer states; whether gradients are summed over ranks in
// every micro-batch or once a step; and limits of tiles. The search changes one value at a time, from the
// fastest values so far, until no change is faster. The choice is a proposal: its reason names the keys of
// the training file. Errors, threads: PlanChoice.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/questions/PlanChoice.h"

namespace windlass {

/// `asWritten`: the plan of the unchanged request, if already made.
Result<Choice> chooseTraining(const CompileRequest &request, const PlanMaker &make,
                              std::optional<UnwrittenPlan> asWritten);

} // namespace windlass
