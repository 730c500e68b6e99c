// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/PrefetchCredits.h"

#include "planning/Prefetch/PrefetchChecker.h"
#include "planning/Prefetch/PrefetchSolver.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// Describes a window by the fetch that takes longest in it, for the fetch that decides it may be tiny.
plan::FetchWindow explainWindow(const planning::LinkWindow &window,
                                ArrayRef<InstructionOpInterface> instructions, InstructionCost &cost) {
  InstructionOpInterface last = instructions[*window.fetch], longest = instructions[window.longest];
  plan::FetchWindow why;
  why.what = longest.origin().getWhat().str();
  why.function = longest.origin().getFunction().str();
  why.ahead = window.longestAhead;
  why.seconds = cost.seconds(longest);
  cost.quote(longest, why);
  if (longest != last) {
    why.lastWhat = last.origin().getWhat().str();
    why.lastFunction = last.origin().getFunction().str();
  }
  why.late = window.late;
  return why;
}

} // namespace

Result<PrefetchCredits> sizePrefetch(ArrayRef<const SectionTasks *> sections, const GivenCredits &given,
                                     InstructionCost &cost) {
  PrefetchCredits sized;
  for (planning::Link link : planning::kLinks)
    sized.credits.of(link) = given[static_cast<size_t>(link)].value_or(1);
  if (llvm::all_of(given, [](const auto &credits) { return credits.has_value(); }))
    return sized;
  for (const SectionTasks *section : sections) {
    const planning::PrefetchWindow windows = planning::solvePrefetch(section->problem);
    WINDLASS_TRY(planning::checkPrefetch(section->problem, windows));
    for (planning::Link link : planning::kLinks) {
      const size_t l = static_cast<size_t>(link);
      const planning::LinkWindow &window = windows.links[l];
      if (given[l] || !window.fetch || (sized.why[l] && window.credits <= sized.credits.of(link)))
        continue;
      sized.credits.of(link) = window.credits;
      sized.why[l] = explainWindow(window, section->instructions, cost);
    }
  }
  return sized;
}

} // namespace windlass::flow
