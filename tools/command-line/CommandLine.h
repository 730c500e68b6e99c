//===- CommandLine.h - how every tool begins and ends ======================//
//
// Duty: what the tools share of being a process: the exit code that a shell sees.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace windlass {

/// The last call of a tool's main: writes out what stdout still holds. A success whose output was lost (a
/// full disk) is said on stderr and ends with BadInput instead; a failure keeps its own code.
int finishOutput(int exitCode);

} // namespace windlass
