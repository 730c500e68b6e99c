// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementText.h - why homes are where they are, as sentences ==========//
//
// Duty: the part of ReasonText.h that speaks of placements. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Reasons.h"

namespace windlass::plan {

/// "nc_in is busy 46.0 ms at nvme.read 1.30 GB/s (declared), 29.6 ms more"
std::string priceText(const Price &price);
/// Of all homes: "cores, the busiest resource, takes 146 ms a step; no placement has a bound that is lower
/// (proven)".
std::string placementText(const Reason &reason);
/// The parts of the text of a class: where its items rest; then, for each other tier, what that tier would
/// cost, or how many bytes the tier lacks.
std::vector<std::string> homesParts(const Reason &reason);

} // namespace windlass::plan
