// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NumericsRecord.h - what decides the bits of a run =====================//
//
// Duty: the effective record: the plan's own, with what the runtime adds to it
// (library and instruction set in use). Kept in checkpoints, compared on resume:
// equal records, model, data, seed and schedule give equal bits.
// Errors: CannotFit if this process cannot keep to the plan's instruction set.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>

namespace windlass {

/// One JSON object as text, sorted keys.
Result<std::string> effectiveRecord(const plan::Plan &plan);

} // namespace windlass
