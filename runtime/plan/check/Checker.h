// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Checker.h - proves a plan sound, on the plan alone ====================//
//
// Duty: the compiler asks before it writes, the runtime before it executes,
// people by hand. Shares no code with whatever made the plan. It proves that
//   - every record keeps the rules of its table (CheckStructure, CheckStates);
//   - what is trained has all its states (CheckOptimizer), and the training loop
//     knows what is fed and reported (CheckItems);
//   - every wait points backwards at something that exists (CheckWaits);
//   - programs are parts of one plan (CheckPrograms) and meet in one order (CheckMeetings);
//   - values in slots are used alike for every micro-batch (CheckSlots), and gradients
//     are added in the order of micro-batches (CheckSums);
//   - however the lanes run, no two instructions touch the same bytes unordered
//     when one writes, and every byte that is read was written before, through
//     the same buffer (CheckAccesses);
//   - collectives run over the right axes of the mesh, and copies of a state stay
//     alike (CheckReplicas);
//   - a step updates every state, once (CheckUpdates).
// Schedules are unrolled; of a section that runs more often in a row, as many runs as show what all do.
// Evaluate and sample start from nothing but the states.
// Errors: bad input; the message names both instructions.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>
#include <vector>

namespace windlass::plan {

/// What came of a check, and its work: instructions replayed and ranges of bytes compared.
struct Examination {
  std::vector<std::string> faults; ///< each once; none in a sound plan
  int64_t looked = 0;
};

/// Later checks rest on earlier ones, so a plan of broken structure is not searched for races.
Examination examine(const Plan &plan);

/// Every fault found.
std::vector<std::string> findFaults(const Plan &plan);

/// The first fault and how many more there are.
Status checkPlan(const Plan &plan);

} // namespace windlass::plan
