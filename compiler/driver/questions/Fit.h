// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Fit.h - whether a plan fits a machine =================================//
//
// Duty: decides whether some plan fits a machine: tries the candidates that are tried before a refusal
// (capacity/FeasibilityCandidates.h), those that need least memory first, until one fits. Neither the fastest
// plan nor the smallest sufficient machine is searched. Errors: those of a compilation, except CannotFit,
// which is an answer. Units: bytes of a rank. Threads: as compile().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/inputs/CompileRequest.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Reasons.h"

namespace windlass {

struct FitAnswer {
  bool fits = false;
  int64_t parameters = 0;
  std::string how = {}; ///< of a plan that fits: "recompute full, ZeRO stage 3"
  /// If no plan fits: the least shortage of those that were laid out. If the bytes that a plan needs at least
  /// ruled out all candidates, none was: the least by which they are above the machine's. Empty if unknown,
  /// and then `why` has the reason.
  std::optional<plan::Shortage> shortage = {};
  std::string why = {};
  bool isBound = false; ///< whether the shortage is such a lower bound
};

Result<FitAnswer> checkFit(const CompileRequest &request);

/// If no plan fits: the reason, as "device is 3.03 MiB short", or "device is at least 3.03 MiB short".
std::string whyNot(const FitAnswer &answer);
/// The answer as a text: "yes: ..." or "no: device is 3.03 MiB short".
std::string describe(const FitAnswer &answer);

} // namespace windlass
