// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CommandLine.h - the main function of every tool =======================//
//
// Duty: what all tools do as processes: signals of failed writes become errors, output that is lost becomes
// an exit code, and warnings are printed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Output.h"
#include "runtime/base/Status.h"
#include <functional>
#include <string>

namespace windlass {

/// Runs a tool, and returns its exit code. A closed pipe and a file at its size limit become errors of the
/// failing call, and do not kill the process. At the end stdout is flushed. If this fails (a full disk) after
/// a success, an error is printed to stderr and the code is BadInput; a failure keeps its own code. A closed
/// pipe is no error here: its reader has what it wanted.
int runTool(int argc, char **argv, int (*run)(int argc, char **argv));

/// A function that prints "warning: text" to stderr, each text once. Copies of it share what was printed. One
/// thread at a time.
std::function<void(const std::string &)> warnOnce();

} // namespace windlass
