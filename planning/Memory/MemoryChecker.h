// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MemoryChecker.h - do these offsets hold? ===========================//
//
// Duty: no two buffers that live at once share a byte; alignment, fixed offsets
// and peak as said. Shares nothing with the solver.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "planning/Memory/MemoryProblem.h"

namespace windlass::planning {

Status checkMemory(const MemoryProblem &problem, const MemorySolution &solution);

} // namespace windlass::planning
