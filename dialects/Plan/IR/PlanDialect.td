// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanDialect.td - exactly which instruction ---------------*- tablegen -*-===//

#ifndef WINDLASS_PLAN_DIALECT
#define WINDLASS_PLAN_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::windlass::plandialect";
  let summary = "exactly which instruction, on which lane, at which offset, after which others";
  let description = [{
    One op per instruction of the runtime (runtime/plan/Instructions.def); no decision is left.
    Printing it shows what plan.json says. Rationale: docs/dialects/plan.md.
  }];
  let dependentDialects = ["::windlass::graph::GraphDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def Plan_OperandAttr : AttrDef<Plan_Dialect, "Operand"> {
  let mnemonic = "at";
  let summary = "bytes of a buffer, from offset + the sum of coordinate * stride over the axes of the mesh on";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$buffer, "int64_t":$offset, "int64_t":$bytes,
                        OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` $buffer `[` $offset `]` `x` $bytes (`strides` `[` $strides^ `]`)? `>`";
}

def Plan_WaitAttr : AttrDef<Plan_Dialect, "Wait"> {
  let mnemonic = "wait";
  let summary = "(lane, ordinal), in this section or in the one before";
  let parameters = (ins "::mlir::StringAttr":$lane, "int64_t":$ordinal,
                        OptionalParameter<"::mlir::DictionaryAttr">:$previous);
  let assemblyFormat = "`<` $lane `at` $ordinal (`previous` $previous^)? `>`";
}

def Plan_OriginAttr : AttrDef<Plan_Dialect, "Origin"> {
  let mnemonic = "origin";
  let summary = "function instance, what is done, phase of the step, which of its section's micro-batches";
  let parameters = (ins "::mlir::StringAttr":$function, "::mlir::StringAttr":$what, "::mlir::StringAttr":$phase,
                        DefaultValuedParameter<"int64_t", "0">:$microBatch);
  let assemblyFormat = "`<` $function `,` $what `,` $phase (`,` `micro_batch` $microBatch^)? `>`";
}

#endif
