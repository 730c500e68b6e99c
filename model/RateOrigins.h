// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RateOrigins.h - origins of the rates of a machine =====================//
//
// Duty: a short text on the origins of a machine's rates: how many were measured, have a source in the
// hardware file, or are declared there without one. The origin of a single rate: Machine::sourceOf. Threads:
// pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"

namespace windlass::model {

/// "measured rates", "declared rates", or of several kinds "rates: 3 measured, 6 with a source, 1 declared".
std::string originsText(const Machine &machine);

} // namespace windlass::model
