// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RateOrigins.h - what predictions of a machine rest on ===============//
//
// Duty: in a few words, where the rates of a machine come from: how many were measured, have a source in the
// hardware file, or are declared there without one. Machine::sourceOf says it of each.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"

namespace windlass::model {

/// "measured rates", "declared rates", or of several kinds "rates: 3 measured, 6 with a source, 1 declared".
std::string originsText(const Machine &machine);

} // namespace windlass::model
