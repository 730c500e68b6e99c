// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemoryChecker.h - checks the offsets of a memory solution =============//
//
// Duty: checks that no two buffers that are live at one position share a byte, that offsets are aligned and
// fixed offsets kept, and that the peak is as claimed. Shares no code with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Memory/MemoryProblem.h"

namespace windlass::planning {

Status checkMemory(const MemoryProblem &problem, const MemorySolution &solution);

} // namespace windlass::planning
