#include "compiler/driver/Refusal.h"

#include "passes/Graph/BlockAttention.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

/// Blocks of less than a 32nd of the tokens, and so of their square's 1024th, are too many to plan with.
constexpr int64_t kMostBlocks = 1024;

} // namespace

std::vector<Candidate> Refusal::waysFor(const model::Machine &larger) const {
  return makeCandidates(recomputeKinds(training), stages(training), layers, training, larger);
}

Status Refusal::describe(const Status &shortfall) {
  auto planFor = [&](const model::Machine &larger, size_t way, Ask ask) -> Result<OwningOpRef<ModuleOp>> {
    Result<Planned> planned = planner.plan(waysFor(larger)[way], larger, ask);
    if (!planned)
      return planned.status();
    return std::move(planned->module);
  };
  return describeShortage(
      machine, planner.bytesOfEverything(), waysFor(machine).size(), planFor,
      [&](int64_t missing) { return attentionLimitThatFits(missing); }, shortfall);
}

/// The largest limit on attention, of four times smaller ones, under which a plan fits after all.
Result<std::string> Refusal::attentionLimitThatFits(int64_t missing) {
  const std::optional<int64_t> given = training.attentionLimit;
  const graph::AttentionLimits limits = graph::attentionLimits(planner.model());
  const int64_t most = std::min(limits.most, given.value_or(limits.most));
  // More than the scores, the gradients of their probabilities, and both as matrices of products, no blocks
  // can save.
  if (missing > 4 * most)
    return std::string();
  Candidate leanest = waysFor(machine).front();
  for (int64_t limit = most / 4; limit >= std::max(limits.least, limits.most / kMostBlocks); limit /= 4) {
    leanest.limits.attention = limit;
    Status fits = planner.plan(leanest, machine, Ask::WhetherItFits).status();
    if (fits)
      return "tile.attention " + std::to_string(limit) + " instead of " +
             (given ? std::to_string(*given) : "none");
    if (fits.code() != ExitCode::CannotFit)
      return fits;
  }
  return std::string();
}

} // namespace windlass
