// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingChoice.h - what of a training file changes last bits ========//
//
// Duty: `--may-change-bits`: which training file trains fastest among those that train the same but for last
// bits. Four things may differ from the file that is given: the size of a micro-batch, at the same global
// batch and where examples never meet (passes/Graph/ExamplesApart.h); the ranks that share out states, and
// whether all share out gradients and optimizer states; whether gradients are summed over ranks in every
// micro-batch or once a step; and limits of tiles. The search goes through one after the other, each beside
// the fastest so far, until none is faster. What is taken is a proposal: its reason says which keys of a
// training file say the same. Errors, threads: PlanChoice.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/questions/PlanChoice.h"

namespace windlass {

/// `asWritten`: the plan of the request as it is, where it was made already.
Result<Choice> chooseTraining(const CompileRequest &request, const PlanMaker &make,
                              std::optional<UnwrittenPlan> asWritten);

} // namespace windlass
