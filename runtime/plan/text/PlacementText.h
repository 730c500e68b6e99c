// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementText.h - why homes are where they are, as sentences ========//
//
// Duty: the part of ReasonText.h that speaks of placements. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Reasons.h"

namespace windlass::plan {

/// "nc_in is busy 46.0 ms at nvme.read 1.30 GB/s (declared), 29.6 ms more"
std::string priceText(const Price &price);
/// Of all homes: "cores, the busiest resource, takes 146 ms a step; no placement does better (proven)".
std::string placementText(const Reason &reason);
/// Of a class: where its items rest; then, for each other tier, what it would cost or how many bytes it
/// lacks.
std::vector<std::string> homesParts(const Reason &reason);

} // namespace windlass::plan
