// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/lowering/StepPasses.h"

namespace windlass::flow {

StepPasses::StepPasses(SectionOp section) {
  bool isBehind = false;
  for (auto op : section.getBody().front().getOps<InstructionOpInterface>()) {
    const Phase phase = op.origin().getPhase();
    isBehind |= phase == Phase::Backward || phase == Phase::Recompute;
    if (phase == Phase::Update || op->hasAttr(kWeights))
      behind.push_back(op);
    else
      (isBehind ? backward : forward).push_back(op);
  }
}

} // namespace windlass::flow
