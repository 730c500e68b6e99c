// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RoundTrip.h - what a trained plan computes, and who else does =======//
//
// Duty: what tests share that give weights back to PyTorch: logits and losses as
// the plan computes them, and the scripts of test/fixtures that compare them.
// Errors: fail the test that called.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/step/StepHosts.h"
#include "test/fixtures/Fixture.h"
#include "test/support/EndToEnd.h"

namespace windlass::test {

/// What a script exits with where the Python of WINDLASS_PYTHON (default: python3) lacks its packages.
inline constexpr int kSkipped = 77;
std::string python();
/// The exit code of a script of test/fixtures.
int runScript(const std::string &script, const std::vector<std::string> &arguments);

/// Logits after three prefixes of a text, as the plan's sample section computes them.
json sampleLogits(const plan::Plan &plan, Executor &executor, const std::vector<int32_t> &text);

/// The sum of the losses of each of the first blocks of rows of a fixture's inputs, a micro-batch each.
json evaluateRows(const plan::Plan &plan, Executor &executor, const Fixture &fixture, int64_t blocks);

} // namespace windlass::test
