// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Repeats.h - what a plan repeats of its forward pass ===================//
//
// Duty: tells the launches that decisions about recomputation make. Attention's backward pass computes its
// scores again whatever is decided: of the launches of phase `recompute`, products alone say nothing.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"

namespace windlass::test {

inline bool repeatsForward(const plan::Plan &plan, const plan::Instruction &instruction) {
  return instruction.op == plan::Opcode::Launch && instruction.origin.phase == plan::Phase::Recompute &&
         plan.kernels[instruction.kernel].kind == plan::KernelKind::Generated;
}

} // namespace windlass::test
