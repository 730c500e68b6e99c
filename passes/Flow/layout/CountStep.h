// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CountStep.h - the counts of a module's training step ================//
//
// Duty: counts what a training step holds and does (planning/Step/StepCounts.h), of a module whose homes have
// no tier, and which is used up. Classes rest where they are asked for, and others on the device. Lanes
// between ranks are counted always, the others where all states are asked for a tier: else no one knows what
// is transferred, and where updates run. Units: bytes and seconds of one rank; of what an owner does, the
// mean over ranks. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "model/Machine.h"
#include "passes/Flow/layout/PlacedItems.h"
#include "planning/Step/StepBound.h"

namespace windlass::flow {

/// The tiers that are asked for whole classes; a class with single items that are asked for is as open.
planning::ClassTiers classTiersOf(const TierPins &pins);

/// `tiers`: such as the machine has.
planning::StepCounts countStep(mlir::OwningOpRef<mlir::ModuleOp> lowered, const model::Machine &machine,
                               const planning::ClassTiers &tiers, int64_t chunkElements);

} // namespace windlass::flow
