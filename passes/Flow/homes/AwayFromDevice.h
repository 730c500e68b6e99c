// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AwayFromDevice.h - values that rest away from the device ==============//
//
// Duty: writes the transfers of values that a section makes and uses on the device, and that rest in another
// tier in between: activation checkpoints, and gradients that several micro-batches add up.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/homes/Staging.h"

namespace windlass::flow {

/// A checkpoint whose home is another tier is offloaded after its last forward use, and is uploaded before
/// its first backward use.
void offloadCheckpoints(SectionOp section, Staging &staging);

/// The same of checkpoints that wait in the slots of a home, as those of a pipeline: a section has their
/// forward uses, their backward uses, or those of two micro-batches.
void offloadSlots(SectionOp section, const HomeTable &homes, Staging &staging);

/// Some gradients are summed in a buffer of the device, where their terms are made, and leave the device
/// once: those that several micro-batches of a section add up, and those that rest on NVMe and are made in
/// parts.
void sumGradients(SectionOp section, const HomeTable &homes, Staging &staging);

} // namespace windlass::flow
