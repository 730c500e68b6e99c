// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CommandLine.h - the main function of every tool =====================//
//
// Duty: what all tools do as processes: signals of failed writes become errors, and a Status becomes an exit
// code.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Output.h"
#include "runtime/base/Status.h"

namespace windlass {

/// Runs a tool, and returns its exit code. A closed pipe and a file at its size limit become errors of the
/// failing call, and do not kill the process. At the end stdout is flushed. If this fails (a full disk) after
/// a success, an error is printed to stderr and the code is BadInput; a failure keeps its own code. A closed
/// pipe is no error here: its reader has what it wanted.
int runTool(int argc, char **argv, int (*run)(int argc, char **argv));

/// Prints "error: message" to stderr, if there is one, and returns the exit code.
int exitCodeOf(const Status &status);

} // namespace windlass
