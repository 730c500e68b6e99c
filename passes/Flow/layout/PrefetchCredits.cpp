// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/layout/PrefetchCredits.h"

#include "planning/Prefetch/PrefetchChecker.h"
#include "planning/Prefetch/PrefetchSolver.h"
#include "runtime/base/Units.h"

using namespace mlir;

namespace windlass::flow {
namespace {

/// "gather decay.1 h.2"
std::string nameOf(InstructionOpInterface op) {
  const OriginAttr origin = op.origin();
  const StringRef function = origin.getFunction().getValue();
  return ("\"" + origin.getWhat().getValue() + (function.empty() ? "" : " ") + function + "\"").str();
}

/// Names what fills the window; the last to begin may be next to nothing.
std::string explainWindow(const planning::LinkWindow &window, ArrayRef<InstructionOpInterface> instructions,
                          InstructionCost &cost) {
  InstructionOpInterface last = instructions[*window.fetch], longest = instructions[window.longest];
  std::string text = std::to_string(window.credits) + " under way: " + nameOf(longest) + " begins " +
                     formatSeconds(window.longestAhead) + " before its user, itself taking " +
                     formatSeconds(cost.seconds(longest)) + " (" + cost.quote(longest) + ")";
  if (window.credits == 1)
    return text + ", and no other begins earlier";
  return text + "; with " + std::to_string(window.credits - 1) + " " +
         (longest == last ? "it" : nameOf(last)) + " would begin " + formatSeconds(window.late) + " too late";
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
      if (given[l] || !window.fetch || (!sized.why[l].empty() && window.credits <= sized.credits.of(link)))
        continue;
      sized.credits.of(link) = window.credits;
      sized.why[l] = explainWindow(window, section->instructions, cost);
    }
  }
  return sized;
}

} // namespace windlass::flow
