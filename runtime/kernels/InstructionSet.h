// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- InstructionSet.h - what this CPU can run, and what it may =============//
//
// Duty: asks the CPU for a plan's target before any kernel is loaded, and keeps
// library kernels from using more than the target, so that another machine does
// not change a loss.
// Threads: call before the first matmul of the process.
// Errors: CannotFit naming the target.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Target.h"
#include <map>
#include <string>
#include <string_view>

namespace windlass {

/// True if this CPU has every instruction of a target (runtime/plan/Targets.def); false for other words.
bool cpuSupports(std::string_view target);

/// The widest target that this CPU runs: what a plan is compiled for where nothing else is said.
std::string widestTarget();

/// Refuses a target that `supports` denies. An empty target asks for nothing.
Status checkTargetCpu(std::string_view target, bool (*supports)(std::string_view) = cpuSupports);

/// Keeps oneDNN within the target, for the whole process.
Status capLibraryKernels(std::string_view target);

/// What oneDNN uses now ("avx2", "avx512_core_bf16"): part of the effective numerics record.
std::string libraryInstructionSet();
std::string libraryVersion(); ///< "oneDNN 2.6.3": part of it too

/// What this host adds to a plan's numerics record, and caps its library for the plan: the library and what
/// it uses, where a plan multiplies by it. Errors: CannotFit for a target that the host does not run.
Result<std::map<std::string, std::string>> hostNumerics(const plan::Target &target);

} // namespace windlass
