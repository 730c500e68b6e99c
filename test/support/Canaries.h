// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Canaries.h - which bytes a run writes ===============================//
//
// Duty: trains a plan twice over arenas filled with different patterns, so that a byte
// that nobody wrote differs and one that nobody planned shows.
// Errors: fail the calling test and name rank, tier, byte and buffers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/EndToEnd.h"

namespace windlass::test {

/// Fails the test where a byte outside the planned intervals changes, or one inside is not written, scratch
/// of libraries excepted; every section of the plan is run. What the training gave.
Outcome expectOnlyPlannedBytes(const Compiled &compiled);

} // namespace windlass::test
