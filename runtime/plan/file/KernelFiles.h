// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelFiles.h - whether a plan's kernels are those it was made with ===//
//
// Duty: compares the files of generated kernels in a plan's folder with the hashes that
// the plan has of them: the runtime before it loads one, the checker's users by hand.
// Errors: bad input naming the file, with its hash or why it cannot be read.
// Threads: pure functions of the plan and its folder.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>
#include <vector>

namespace windlass::plan {

/// Where a kernel file of a plan in `folder` (empty: the working one) lies.
std::string pathOf(const KernelFile &file, const std::string &folder);

/// Whether the file is there and has the plan's hash.
Status checkKernelFile(const KernelFile &file, const std::string &folder);

/// Of every file of the plan, what is wrong: it is not the one, or says that its code is for other kernels;
/// empty where nothing is.
std::vector<std::string> findKernelFaults(const Plan &plan, const std::string &folder);

} // namespace windlass::plan
