// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RoundTrip.h - compares trained plans with PyTorch =====================//
//
// Duty: shared by the tests that give weights back to PyTorch: logits and losses that a plan computes, and
// the scripts of test/fixtures that compare them with those of PyTorch.
// Errors: fail the calling test.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/step/StepHosts.h"
#include "test/fixtures/Fixture.h"
#include "test/support/EndToEnd.h"

namespace windlass::test {

/// The exit code of a script if the Python of WINDLASS_PYTHON (default: python3) lacks its packages.
inline constexpr int kSkipped = 77;
std::string python();
/// Runs a script of test/fixtures, and returns its exit code.
int runScript(const std::string &script, const std::vector<std::string> &arguments);

/// Three prefixes of a text, each with the logits that the plan's sample section computes after it.
json sampleLogits(const plan::Plan &plan, Executor &executor, const std::vector<int32_t> &text);

/// The losses of the first `blocks` blocks of rows of a fixture's inputs. A block is one micro-batch; its
/// loss is a sum over its rows.
json evaluateRows(const plan::Plan &plan, Executor &executor, const Fixture &fixture, int64_t blocks);

} // namespace windlass::test
