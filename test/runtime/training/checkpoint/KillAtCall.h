// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KillAtCall.h - dies at a chosen change of the file system ===========//
//
// Duty: every instant at which a kill can leave something different behind, as a
// number: calls that change the file system are counted, and the process is killed
// just before the one that is asked for. A write counts twice, for it may be cut in
// the middle. Syncing is counted but not done: what a killed process wrote stays.
// Link KillAtCall.cpp into the test: it stands before the C library's functions.
// Threads: the process has one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace windlass::test {

/// Counts from here; the process is killed at the beginning of call number `instant`, from 1. 0: never.
void killAtCall(int64_t instant);
int64_t callsSoFar();
/// Counts no more; how many calls there were of each kind ("rename", "pwrite", ...).
std::map<std::string, int64_t> stopCounting();

} // namespace windlass::test
