// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Workspace.h - what homes must leave free ============================//
//
// Duty: bytes per tier that a module, whose homes are unplaced, needs beside them: for what a section
// computes with, and for what is fetched ahead of its user. Units: bytes of one rank, by plan::Tier. Errors:
// as the packing's. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "model/Machine.h"
#include "planning/Schedule/ScheduleProblem.h"
#include <array>

namespace windlass::flow {

using TierBytes = std::array<int64_t, 3>;

struct Workspace {
  TierBytes bytes{};
  int64_t leastOnDevice = 0; ///< those that live there at one time, wherever homes are
  int64_t homes = 0;         ///< to be placed

  /// False is certain.
  bool mayFit(const model::Machine &machine) const;
};

/// What a section needs beside homes, with every home on the device and nothing prefetched; and what was
/// placed before, library scratch. Not activation checkpoints: those are placed.
Result<Workspace> workspaceOf(mlir::ModuleOp module, int64_t chunkElements);

/// Room for the groups under way beside the one in use: gathered units and the shard they come from on the
/// device, the chunks of an update on the host. Of groups the middle one counts: a vocabulary's matrix,
/// many times a layer's, would drive homes away all step long for what is gathered twice.
TierBytes prefetchBytes(mlir::ModuleOp module, const planning::Credits &ahead, int64_t chunkElements);

} // namespace windlass::flow
