// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ToolRun.h - runs a tool and captures its output =======================//
//
// Duty: runs a command line in a folder, and returns the exit code and the output. The code is 128 + signal
// after a crash, and 124 after a hang.
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

/// Runs `command` through sh in `folder`, for at most five minutes. Only a hang takes longer.
ToolRun runTool(const std::string &folder, const std::string &command);

/// The names in a folder, also hidden ones, sorted and separated by spaces.
std::string namesIn(const std::string &folder);

} // namespace windlass::test
