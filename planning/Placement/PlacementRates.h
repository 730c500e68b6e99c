// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlacementRates.h - a machine's rates in a placement problem ===========//
//
// Duty: sets the links, quotes and core weights of a placement problem to those of a machine, per rank, with
// all ranks busy. The caller sets capacities and base work.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "planning/Placement/PlacementProblem.h"

namespace windlass::planning {

void setRates(PlacementProblem &problem, const model::Machine &machine);

} // namespace windlass::planning
