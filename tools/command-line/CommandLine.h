// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CommandLine.h - how every tool begins and ends ======================//
//
// Duty: what the tools share of being a process: the signals that are failures of
// a write here, and the exit code that a shell sees.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Output.h"
#include "runtime/base/Status.h"

namespace windlass {

/// All of a tool's main. A reader of its output that leaves, and a file that may not grow, are failures of
/// the call that meets them, not a death. At the end what stdout still holds is written out: a success whose
/// output was lost (a full disk) is said on stderr and ends with BadInput instead; a failure keeps its own
/// code. A reader that left has seen what it wanted.
int runTool(int argc, char **argv, int (*run)(int argc, char **argv));

/// Prints "error: message" to stderr, if there is one, and returns the exit code.
int exitCodeOf(const Status &status);

} // namespace windlass
