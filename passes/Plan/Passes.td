// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - the passes of the plan level -----------------*- tablegen -*-===//

#ifndef WINDLASS_PASSES_PLAN
#define WINDLASS_PASSES_PLAN

include "mlir/Pass/PassBase.td"

def LowerToPlan : Pass<"lower-to-plan", "::mlir::ModuleOp"> {
  let summary = "write every decision down, one op per instruction";
  let description = [{
    **Before**: a flow module whose homes and buffers have offsets and whose instructions have waits.

    **After**: `plan.arena`, `plan.buffer`, `plan.state` and `plan.section`s of instructions; buffers have
    become symbols, views have become offsets. Kernels stay as functions until they are emitted.

    **Not**: it decides nothing.

    Example: test/passes/Plan/lower-to-plan.mlir.
  }];
  let dependentDialects = ["::windlass::plandialect::PlanDialect"];
}

def VerifyPlan : Pass<"verify-plan", "::mlir::ModuleOp"> {
  let summary = "the plan level ends: nothing is left that the emitter would have to doubt";
  let description = [{
    **Before**: any module of the plan level.

    **After**: every word (tier, class, lane, phase, purpose of a schedule) is one of the runtime's (`runtime/plan/Enums.def`);
    operands are bytes of buffers of this module, on every rank; launches name its kernels; instructions stand on lanes
    that `runtime/plan/Instructions.def` gives them and their ordinals count each lane from 1 without gaps; waits name
    another lane, once, and something that stands before.

    **Not**: it does not ask whether the plan is sound: races, homes and sizes of operands are the business of the checker
    (`runtime/plan/check/Checker.h`), which sees the plan itself. Ordinals are not in the plan, which counts them again: so only
    here can they be wrong.

    Example: test/passes/Plan/verify-plan.mlir.
  }];
}

#endif
