// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Fit.h - does it fit? ================================================//
//
// Duty: whether some plan fits a machine, yes or no: the candidates that a refusal rests on are tried
// (capacity/FeasibilityCandidates.h), those that need least memory first, until one fits. Nobody asks how
// fast the plan is, and nobody looks for a cure where none fits.
// Errors: those of a compilation, but CannotFit, which is an answer. Units: bytes of a rank. Threads: as
// compile().
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
  std::string how; ///< of a plan that fits: "recompute full, ZeRO stage 3"
  /// Of none that fits: what the candidate that needs least is short of; empty where that is not known, and
  /// `why` says what is.
  std::optional<plan::Shortage> shortage;
  std::string why;
};

Result<FitAnswer> checkFit(const CompileRequest &request);

/// Of none that fits: "device is 3.03 MiB short".
std::string whyNot(const FitAnswer &answer);
/// "yes: ..." or "no: device is 3.03 MiB short"
std::string describe(const FitAnswer &answer);

} // namespace windlass
