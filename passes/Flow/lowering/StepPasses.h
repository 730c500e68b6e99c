// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepPasses.h - the passes of a micro-batch in a section ===============//
//
// Duty: which instructions of a section of a step are of the forward pass, of the backward pass and of the
// update. The backward pass begins with its first instruction; what stands behind that, and is no update,
// belongs to it. Where `split-backward` parted it, what makes gradients of weights is a pass of its own.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"

namespace windlass::flow {

/// On an instruction of the backward pass, between `split-backward` and `delay-backward`: no message to
/// another stage and no report needs it, so that it may run later.
inline constexpr llvm::StringLiteral kWeights = "windlass.weights";

/// Each in program order.
struct StepPasses {
  llvm::SmallVector<InstructionOpInterface> forward, backward;
  llvm::SmallVector<InstructionOpInterface> behind; ///< gradients of weights, where split off; the update

  explicit StepPasses(SectionOp section);
};

} // namespace windlass::flow
