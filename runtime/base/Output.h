// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Output.h - what a process says to people ==============================//
//
// Duty: the one way of text to a terminal. Names come from files that anybody may
// have made; what in them could steer a terminal is shown, not sent.
// Errors: output that is lost stays so until the process ends (CommandLine.h).
// Threads: as stdio.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string>
#include <string_view>

namespace windlass {

/// The text with everything that could steer a terminal spelled out, "\x1b": control characters but line
/// breaks and tabs, and bytes that are no UTF-8.
std::string printable(std::string_view text);

/// To stdout.
void printText(std::string_view text);

/// False where stdout is a pipe or a socket whose other end has left.
bool isOutputRead();

/// "note: TEXT" as a line on stderr; `kind`: note, warning or error.
void printMessage(const char *kind, std::string_view text);

/// Prints "error: MESSAGE" to stderr if the status is a failure, and returns the exit code of the status.
int exitCodeOf(const Status &status);

} // namespace windlass
