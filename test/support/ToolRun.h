// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ToolRun.h - runs a tool and captures its output =====================//
//
// Duty: runs a command line in a folder, and returns exit code and output.
// A crash shows as code 128 + signal, a hang as code 124.
// Threads: safe for different folders.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

namespace windlass::test {

struct ToolRun {
  int code = 0;
  std::string out, error;
};

/// Runs `command` through sh in `folder`, at most five minutes, which only a hang takes.
ToolRun runTool(const std::string &folder, const std::string &command);

/// Names in a folder, hidden ones too, sorted, with spaces between.
std::string namesIn(const std::string &folder);

} // namespace windlass::test
