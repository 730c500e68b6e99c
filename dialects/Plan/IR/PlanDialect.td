// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanDialect.td - exactly which instruction ---------------*- tablegen -*-===//

#ifndef WINDLASS_PLAN_DIALECT
#define WINDLASS_PLAN_DIALECT

include "dialects/Graph/IR/PlanEnums.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::windlass::plandialect";
  let summary = "which instruction runs on which lane, at which offsets and after which others";
  let description = [{
    There is one op per instruction of the runtime (runtime/plan/Instructions.def), and no decision is left. The
    printed IR shows what plan.json holds. Rationale: docs/dialects/plan.md.
  }];
  let dependentDialects = ["::windlass::graph::GraphDialect", "::windlass::flow::FlowDialect"];
  let useDefaultAttributePrinterParser = 1;
}

/// A tier; at the plan level every tier is decided.
def Plan_TierAttr : PlanEnumAttr<Plan_Dialect, "Tier", "Tier", "tier">;

def Plan_OperandAttr : AttrDef<Plan_Dialect, "Operand"> {
  let mnemonic = "at";
  let summary = "bytes of a buffer; they begin at offset + the sum of coordinate * stride over the axes of the mesh";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$buffer, "int64_t":$offset, "int64_t":$bytes,
                        OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` $buffer `[` $offset `]` `x` $bytes (`strides` `[` $strides^ `]`)? `>`";
}

#endif
