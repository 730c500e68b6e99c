// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - the passes of the plan level -----------------*- tablegen -*-===//

#ifndef WINDLASS_PASSES_PLAN
#define WINDLASS_PASSES_PLAN

include "mlir/Pass/PassBase.td"

def LowerToPlan : Pass<"lower-to-plan", "::mlir::ModuleOp"> {
  let summary = "write every decision down, one op per instruction";
  let description = [{
    **Before**: a flow module whose homes and buffers have offsets and whose instructions have waits.

    **After**: the module holds `plan.arena`, `plan.buffer`, `plan.state` and `plan.section`s of instructions. Buffers
    are symbols, and views are offsets. Kernels stay functions until they are emitted.

    **Not**: it decides nothing.

    Example: test/passes/Plan/lower-to-plan.mlir.
  }];
  let dependentDialects = ["::windlass::plandialect::PlanDialect"];
}

def VerifyPlan : Pass<"verify-plan", "::mlir::ModuleOp"> {
  let summary = "check what must hold when the plan level ends";
  let description = [{
    **Before**: any module of the plan level.

    **After**: the following holds, so that the emitter need not check it:

    - Every word (tier, class, lane, phase, purpose of a schedule) is a word of the runtime
      (`runtime/plan/Enums.def`).
    - Operands are bytes of buffers of this module, on every rank, and launches name kernels of this module.
    - Instructions are on lanes that `runtime/plan/Instructions.def` gives them, and their ordinals count each lane
      from 1 without gaps.
    - A wait names another lane, at most one wait names a lane, and the wait is for an earlier instruction.

    **Not**: it does not check whether the plan is sound. Races, homes and sizes of operands are checked by the
    checker (`runtime/plan/check/Checker.h`), which reads the plan itself. Ordinals are not in the plan, whose reader
    counts them again, so that only this pass can find wrong ordinals.

    Example: test/passes/Plan/verify-plan.mlir.
  }];
}

#endif
