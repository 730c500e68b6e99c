#include "compiler/driver/Refusal.h"

using namespace mlir;

namespace windlass {

std::vector<Candidate> Refusal::waysFor(const model::Machine &larger) const {
  return makeCandidates(recomputeKinds(training), stages(training), layers, training, larger);
}

Status Refusal::describe(const Status &shortfall) {
  auto planFor = [&](const model::Machine &larger, size_t way, Ask ask) -> Result<OwningOpRef<ModuleOp>> {
    Result<Planned> planned = planner.plan(waysFor(larger)[way], larger, {.ask = ask});
    if (!planned)
      return planned.status();
    return std::move(planned->module);
  };
  return describeShortage(machine, planner.bytesOfEverything(), waysFor(machine).size(), planFor, shortfall);
}

} // namespace windlass
