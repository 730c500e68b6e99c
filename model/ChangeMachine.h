// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ChangeMachine.h - the same machine with other values ==================//
//
// Duty: makes machines for "what if" questions: a hardware file with other values at some keys. A value that
// is set replaces a measured one, too. Where kernels run at another rate, their measured times no longer
// count, and they take the time of rates again: those on the device with any key of the device but its
// capacity, those on the host with its bandwidth, and both with the time of a launch or the number of cores.
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

/// Of a machine whose text has these changes: measured times of kernels no longer count where the changes are
/// of another device or host. The text alone does not say so.
void dropMeasuredKernels(Machine &machine, std::span<const std::string> changes);

/// The same nodes and links with `ranks` ranks: fewer ranks than a node has are on one node, more must fill
/// whole nodes, or else BadInput.
Result<Machine> withRanks(const Machine &machine, int64_t ranks);

} // namespace windlass::model
