// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingRecord.h - what of the training file decides a run ============//
//
// Duty: the hyperparameters that a plan still knows, by their keys in the training file. Kept in checkpoints,
// compared on resume. What the plan says of what the optimizer's kernels hold (epsilon, weight decay) comes
// along, whatever that is.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Training.h"
#include <string>

namespace windlass {

/// One JSON object as text.
std::string trainingRecord(const plan::Training &training);

} // namespace windlass
