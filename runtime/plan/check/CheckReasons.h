// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CheckReasons.h - reasons that agree with themselves ===================//
//
// Duty: the form of a plan's reasons: one of each decision, one trial that was taken, and nothing that claims
// to be slower and is not. Errors: BadInput, naming place, rule and value. Threads: a pure function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Reasons.h"

namespace windlass::plan {

Status checkReasons(const std::vector<Reason> &reasons, int64_t stages);

} // namespace windlass::plan
