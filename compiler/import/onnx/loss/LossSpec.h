// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossSpec.h - a loss that the user names ===============================//
//
// Duty: parses a loss of the user, such as "cross-entropy" or "0.5*mse,logits=value,labels=target".
// Errors: BadInput with the rule and the value found.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>

namespace windlass {

enum class LossKind : uint8_t { CrossEntropy, MeanSquares, BceWithLogits };

struct LossSpec {
  LossKind kind = LossKind::CrossEntropy;
  double weight = 1;
  std::string logits, labels;  ///< values of the file; empty: the only candidates
  int64_t ignoredLabel = -100; ///< of a cross-entropy
  double smoothing = 0;        ///< of a cross-entropy
  bool isSum = false;          ///< over the whole batch; false: the mean over labels or examples that count
};

/// [WEIGHT*]cross-entropy|mse|bce-with-logits[,logits=NAME][,labels=NAME][,ignore_index=N][,smoothing=X]
/// [,reduction=mean|sum]
Result<LossSpec> parseLoss(const std::string &text);
std::string describe(const LossSpec &loss);

} // namespace windlass
