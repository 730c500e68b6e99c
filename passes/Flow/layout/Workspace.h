// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Workspace.h - what homes must leave free ==============================//
//
// Duty: the bytes per tier that homes must leave free, of a module whose homes have no tier: those of buffers
// that a section computes with, and those of groups that are fetched ahead of their users.
// Units: bytes of one rank, by plan::Tier. Errors: those of the packing. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include "planning/Schedule/ScheduleProblem.h"
#include <array>

namespace windlass::flow {

using TierBytes = std::array<int64_t, 3>;

/// The most bytes of activation checkpoints in a section.
int64_t checkpointBytes(mlir::ModuleOp module);

/// The workspace if every home is on the device and nothing is prefetched: the largest section's buffers, and
/// homes that have a tier already (library scratch). Activation checkpoints are not counted, for they are
/// placed. `onDevice`: the module's placedCopy() (CountStep.h) with all homes there.
Result<TierBytes> workspaceOf(mlir::ModuleOp module, mlir::ModuleOp onDevice);

/// The bytes of prefetched groups, beside the group in use: gathered units and their shards on the device,
/// chunks of an update on the host. `ahead` times the median group counts. The largest group does not: a
/// vocabulary's matrix is many times a layer's and is gathered twice a step, and its bytes would displace
/// homes for all of it.
TierBytes prefetchBytes(mlir::ModuleOp module, const planning::Credits &ahead, int64_t chunkElements);

} // namespace windlass::flow
