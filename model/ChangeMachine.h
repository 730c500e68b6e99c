// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChangeMachine.h - the same machine with other values ================//
//
// Duty: answers "what if": a machine whose hardware file has other values at some keys. A value that is set
// takes the place of a measured one, too. Where what the device or its cores do is set, kernels are no longer
// what was measured of each, and go by rates again.
// Units: as in the hardware file; every size, rate and time is written with its unit. Errors: BadInput,
// naming the change, the rule and the value found. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include <span>
#include <string>

namespace windlass::model {

/// Each change is "KEY=VALUE", with a key of docs/hardware.md ("nvme.read=3.8GB/s", "nodes=4"), or
/// "KEY=FACTORx", a multiple of what the machine has there ("host.capacity=2x").
Result<Machine> changeMachine(const Machine &machine, std::span<const std::string> changes);

/// The same nodes and links with so many ranks: fewer than a node has lie in one node, more fill whole nodes.
/// BadInput for a number that fills no whole nodes.
Result<Machine> withRanks(const Machine &machine, int64_t ranks);

} // namespace windlass::model
