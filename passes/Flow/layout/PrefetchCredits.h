// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PrefetchCredits.h - how far ahead a module's transfers go ===========//
//
// Duty: the credits of each link: those that are given, else as many as transfers of a training step need so
// that no computation waits for one that could have begun earlier (planning/Prefetch), in the
// section that needs most; and why. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Flow/layout/ScheduleSection.h"
#include <optional>

namespace windlass::flow {

/// By planning::Link: credits that somebody decided.
using GivenCredits = std::array<std::optional<int64_t>, planning::kLinks.size()>;

struct PrefetchCredits {
  planning::Credits credits{1, 1, 1};
  /// By planning::Link: what decided them; nothing where nothing is fetched, or they are given.
  std::array<std::optional<plan::FetchWindow>, planning::kLinks.size()> why;
};

/// `sections`: those that a step runs.
Result<PrefetchCredits> sizePrefetch(llvm::ArrayRef<const SectionTasks *> sections, const GivenCredits &given,
                                     InstructionCost &cost);

} // namespace windlass::flow
