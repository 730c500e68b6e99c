// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EarlierRun.h - what --out holds of other runs =========================//
//
// Duty: moves aside what a run would take for its own before its first step: checkpoints of later steps, or
// all checkpoints if it begins afresh or goes on from a checkpoint that is not in --out. In the last case
// the metrics are moved, too, and begin with those of the checkpoint's own run. Nothing is removed.
// Errors: RunFailed naming the path. Threads: one; one process per folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/checkpoint/Resume.h"

namespace windlass {

/// `metrics` is the metrics file of --out; empty: the user named another, which stays as it is. Returns what
/// a person should know, one line each.
Result<std::vector<std::string>> setEarlierRunAside(CheckpointFolder &checkpoints, const Start &start,
                                                    const std::string &metrics);

} // namespace windlass
