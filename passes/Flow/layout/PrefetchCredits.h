// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchCredits.h - how far ahead a module's transfers go =============//
//
// Duty: the credits of each link, and what decided them. Credits that are not given are those of the prefetch
// window (planning/Prefetch) of the section with the largest window: with them, no computation of a training
// step waits for a transfer that could have begun earlier.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/ScheduleSection.h"
#include <optional>

namespace windlass::flow {

/// By planning::Link: credits that are asked for; none: open.
using GivenCredits = std::array<std::optional<int64_t>, planning::kLinks.size()>;

struct PrefetchCredits {
  planning::Credits credits{1, 1, 1};
  /// By planning::Link: the window behind the credits; nothing where nothing is fetched, or credits are
  /// given.
  std::array<std::optional<plan::FetchWindow>, planning::kLinks.size()> why;
};

/// `sections`: of a training step.
Result<PrefetchCredits> sizePrefetch(llvm::ArrayRef<const SectionTasks *> sections, const GivenCredits &given,
                                     InstructionCost &cost);

} // namespace windlass::flow
