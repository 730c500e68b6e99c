// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanKernels.h - the code of a plan's kernels ==========================//
//
// Duty: generates the code of a plan's kernels: host code, and for a GPU also device code with the grids of
// each kernel's phases. Errors: Internal with the diagnostics; a kernel without device code is named, and is
// a fault of the compiler. Threads, ownership: as MLIR's; the kernels of the modules stay as they are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/Codegen.h"
#include "compiler/driver/candidates/Levels.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <string>

namespace windlass {

/// Sets `kernelFiles` of a plan that was emitted from `stages`, and the phases of its kernels. `folder`: of
/// the files; empty: no file is written, and only the phases are set. `known`: host code of earlier
/// compilations.
Status generatePlanKernels(const StageModules &stages, const std::string &folder,
                           const codegen::KnownObjects &known, plan::Plan &plan);

} // namespace windlass
