// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileChoice.h - tiles with which a plan fits ===========================//
//
// Duty: finds the largest limits of tiles with which a plan fits, where none fits without. Limits are tried
// in sequences; within a sequence each limits are smaller and need no more memory, so that a binary search
// finds the largest that fit.
// Units: bytes. Errors: those of the oracle. Threads: as the oracle's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/Candidate.h"
#include "runtime/base/Status.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

/// Sequences of limits, in the order they are searched: one cuts parameters and activations, one the scores
/// of attention, the one with larger tiles first; the last cuts all of them. Each begins with its largest
/// limits.
using LimitSequences = std::vector<std::vector<Limits>>;

/// `now`: the training file's. `tiles`, `blocks`: limits below them, the largest first; either may be empty.
LimitSequences limitSequences(const Limits &now, const std::vector<int64_t> &tiles,
                              const std::vector<int64_t> &blocks);

/// Answers whether a plan fits under some limits.
struct LimitOracle {
  std::function<Result<bool>(const Limits &)> mayFit; ///< a bound: false is certain
  std::function<Result<bool>(const Limits &)> fits;
};

/// The largest limits that fit, of the first sequence that has any.
Result<std::optional<Limits>> largestLimitsThatFit(const LimitSequences &sequences,
                                                   const LimitOracle &oracle);

/// The limits that differ from `now`.
plan::Figures tileFigures(const Limits &limits, const Limits &now);

} // namespace windlass
