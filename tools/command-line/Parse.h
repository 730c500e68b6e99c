// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Parse.h - parses the command line of a tool ===========================//
//
// Duty: parses the command line of every tool: refuses empty values and unknown options (naming the nearest
// known one), and prints an error in one line, and where to read more. Errors: printed on stderr; the exit
// code is returned (README.md has the table of codes).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

/// Sets the variables that the options of `app` are bound to. `settle` checks options together, and throws a
/// CLI::ParseError. Returns an exit code if the process is done: help or version was printed (0), or the
/// command line is wrong (2); otherwise nothing.
std::optional<int>
parseCommandLine(CLI::App &app, int argc, char **argv, const std::function<void()> &settle = [] {});

/// Warns of each option of `names` that was given: it has no effect `where`.
void warnOfUnread(const CLI::App &app, const std::vector<std::string> &names, const std::string &where);

} // namespace windlass
