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

namespace windlass {

/// Fills what the options of `app` are bound to; `settle` looks at them together and throws a
/// CLI::ParseError. The exit code of a process that is done: help or version was printed (0), or the command
/// line is wrong (2); nothing where the tool goes on.
std::optional<int>
parseCommandLine(CLI::App &app, int argc, char **argv, const std::function<void()> &settle = [] {});

} // namespace windlass
