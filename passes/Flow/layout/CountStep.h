// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CountStep.h - the counts of a module's training step ==================//
//
// Duty: counts the bytes and seconds of a training step (planning/Step/StepCounts.h), from a module whose
// homes have no tier; the module is consumed. Classes rest on the tier that is asked for, else on the device.
// The lanes between ranks are always counted. The other lanes are counted only if tiers are asked for all
// states; else transfers, and the lanes of updates, are not known.
// Units: bytes and seconds of one rank; of the work of owners, the mean over ranks. Threads, ownership: as
// MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "model/Machine.h"
#include "passes/Flow/layout/PlacementItems.h"
#include "planning/Step/StepBound.h"

namespace windlass::flow {

/// The tiers that are asked for whole classes; a class of which only some items have a tier is left open.
planning::ClassTiers classTiersOf(const TierPins &pins);

/// A copy of a lowered module, with homes that have no tier where `tiers` puts their class, or else on the
/// device. Its transfers are instructions.
mlir::OwningOpRef<mlir::ModuleOp> placedCopy(mlir::ModuleOp lowered, const planning::ClassTiers &tiers,
                                             int64_t chunkElements);

/// `placed`: its placedCopy() with these tiers, all of which the machine has.
planning::StepCounts countStep(mlir::ModuleOp lowered, mlir::ModuleOp placed, const model::Machine &machine,
                               const planning::ClassTiers &tiers);

} // namespace windlass::flow
