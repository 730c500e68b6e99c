// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- AwayFromDevice.h - what is made on the device and rests elsewhere ===//
//
// Duty: writes the way of what a section makes on the device, uses there more than once, and keeps in
// another tier: activation checkpoints, and gradients of several micro-batches.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/homes/Homes.h"
#include "passes/Flow/homes/Staging.h"

namespace windlass::flow {

/// A checkpoint at home in another tier leaves after it is produced and its forward uses are done, and
/// comes back before its first backward use.
void offloadCheckpoints(SectionOp section, Staging &staging);

/// A gradient that several micro-batches of a section add up, or that is at home on the disk and made in
/// parts, is put together on the device, where its terms are, and leaves it once.
void sumGradients(SectionOp section, const HomeTable &homes, Staging &staging);

} // namespace windlass::flow
