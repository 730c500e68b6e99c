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

#endif
