// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- RunFiles.h - files that a run writes at a user's word =================//
//
// Duty: refuses, before a run touches anything, a file that it would write twice, or over what it reads or
// keeps. Files are the same by what links lead to. Special files, such as /dev/null, take everything.
// Errors: Usage, naming the option, the file, and what else it is. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/Run.h"

namespace windlass {

Status checkRunFiles(const plan::Plan &plan, const RunOptions &options);

} // namespace windlass
