// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanKernels.h - the code of a plan's kernels ========================//
//
// Duty: generates what a plan's launches run: the host's code, and that of a device with code of its own,
// where it gives each kernel the grids of its phases, too.
// Errors: Internal for diagnostics, those of a kernel that the device has no code for with its name: no model
// and no machine asks for one. Threads, ownership: as MLIR's; the kernels of the modules stay as they are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/object/KernelCache.h"
#include "compiler/driver/candidates/Levels.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>

namespace windlass {

/// Fills in `kernelFiles` of a plan that was emitted from `stages`, and the phases of its kernels. Files are
/// written into `folder`; empty: none are, and what depends on no file is done all the same. `cache`: code
/// that was made before, or null.
Status generatePlanKernels(const StageModules &stages, const std::string &folder, codegen::KernelCache *cache,
                           plan::Plan &plan);

} // namespace windlass
