// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Parse.h - a tool's options, read =====================================//
//
// Duty: what all tools do with a command line: refuses values that are empty and options that nobody knows,
// the nearest known one named, and says what is wrong in one line, before where to read more.
// Errors: told on stderr; what is returned is the exit code (README.md has the table of them).
//
//===----------------------------------------------------------------------===//
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

/// Fills what the options of `app` are bound to; `settle` looks at them together and throws a
/// CLI::ParseError. The exit code of a process that is done: help or version was printed (0), or the command
/// line is wrong (2); nothing where the tool goes on.
std::optional<int>
parseCommandLine(CLI::App &app, int argc, char **argv, const std::function<void()> &settle = [] {});

/// Warns of each of the options, by their names, that was given though nothing reads it: it has no effect
/// `where`.
void warnOfUnread(const CLI::App &app, const std::vector<std::string> &names, const std::string &where);

} // namespace windlass
