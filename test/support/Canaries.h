// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Canaries.h - checks the bytes that a run writes =======================//
//
// Duty: trains a plan twice over arenas with different fill patterns. A planned byte that was not written
// differs between the runs; a byte outside of all buffers that was written has lost its pattern. Errors: fail
// the calling test and name rank, tier, byte and buffers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/EndToEnd.h"

namespace windlass::test {

/// Runs every section of the plan. Fails the test if a byte outside of the planned intervals changes, or a
/// byte inside is not written, except scratch of libraries. Returns the outcome of the training.
Outcome expectOnlyPlannedBytes(const Compiled &compiled);

} // namespace windlass::test
