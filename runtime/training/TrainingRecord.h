//===- TrainingRecord.h - what of the training file decides a run ==========//
//
// Duty: the hyperparameters that a plan still knows, by their keys in the training file. Kept in checkpoints,
// compared on resume. What the optimizer's kernels hold (epsilon, weight decay) is in their code alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Training.h"
#include <string>

namespace windlass {

/// One JSON object as text.
std::string trainingRecord(const plan::Training &training);

} // namespace windlass
