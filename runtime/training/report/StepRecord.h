// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepRecord.h - what one step showed ===================================//
//
// Duty: the figures of one training step that a run shows and writes to its metrics.
// Units: seconds, bytes; losses are means over the global batch. Ownership: values. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace windlass {

/// What the examples showed that are held out.
struct ValidationRecord {
  double loss = std::numeric_limits<double>::quiet_NaN(); ///< mean over their valid labels
  bool hasLabels = true; ///< false: all labels are ignored, so there is no loss
};

struct StepRecord {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  int64_t step = 0;                           ///< counts from 1
  double loss = kNone;                        ///< mean over the valid labels of the global batch
  double gradientNorm = kNone;                ///< before clipping; kNone where the plan reports none
  double lossScale = kNone;                   ///< kNone where losses are not scaled
  bool skipped = false;                       ///< gradients overflowed, and no state changed
  std::optional<ValidationRecord> validation; ///< where the step was evaluated
  double learningRate = 0;
  double seconds = 0;         ///< of the step itself
  double tokensPerSecond = 0; ///< of a model without tokens: examples
  double examplesPerSecond = 0;
  int64_t nvmeBytesRead = 0, nvmeBytesWritten = 0; ///< in this step, all ranks
  int64_t dataPosition = 0;                        ///< samples consumed, this step's included
};

} // namespace windlass
