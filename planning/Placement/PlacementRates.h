// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementRates.h - a machine's rates in a placement problem ========//
//
// Duty: links, quotes and core weights of a placement problem as a machine has
// them, per rank with all ranks busy. Capacities and base work are the caller's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "planning/Placement/PlacementProblem.h"

namespace windlass::planning {

void setRates(PlacementProblem &problem, const model::Machine &machine);

} // namespace windlass::planning
