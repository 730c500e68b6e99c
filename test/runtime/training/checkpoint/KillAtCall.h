// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KillAtCall.h - kills the process at a file system call ================//
//
// Duty: numbers the instants at which a kill can leave different files behind. Calls that change the file
// system are counted, and the process is killed just before the chosen call. A write counts twice, since a
// kill may cut it in the middle. A sync is counted but not done, since files of a killed process stay without
// it.
// A test links KillAtCall.cpp, whose functions come before those of the C library. Threads: the process has
// one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace windlass::test {

/// Starts to count. The process is killed at the beginning of call number `instant`, from 1; 0: never.
void killAtCall(int64_t instant);
int64_t callsSoFar();
/// Stops counting. Returns the number of calls of each kind ("rename", "pwrite", ...).
std::map<std::string, int64_t> stopCounting();

} // namespace windlass::test
