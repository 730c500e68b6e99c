// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/homes/BorrowedParameters.h"

using namespace mlir;

namespace windlass::flow {

bool BorrowedParameters::borrows(LaunchOp launch) {
  return cast<InstructionOpInterface>(launch.getOperation()).origin().getPhase() != Phase::Update;
}

SmallVector<Value> BorrowedParameters::firstReadBy(LaunchOp launch) {
  StringAttr now = cast<InstructionOpInterface>(launch.getOperation()).origin().getFunction();
  if (now != function)
    seen.clear();
  function = now;
  SmallVector<Value> first;
  if (!borrows(launch))
    return first;
  for (Value input : launch.getInputs()) {
    HomeOp home = homes.behind(input);
    bool whole =
        home && home.getRole() == graph::Role::Parameter && static_cast<int64_t>(home.getUnit()) >= 0;
    if (Value root = resolveBuffer(input).root; whole && seen.insert(root).second)
      first.push_back(root);
  }
  return first;
}

} // namespace windlass::flow
