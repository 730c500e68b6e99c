// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanOps.td - one op per instruction ----------------------*- tablegen -*-===//

#ifndef WINDLASS_PLAN_OPS
#define WINDLASS_PLAN_OPS

include "dialects/Plan/IR/PlanDialect.td"
include "dialects/Flow/IR/FlowDialect.td"
include "dialects/Graph/IR/GraphDialect.td"
include "mlir/IR/SymbolInterfaces.td"

def Plan_Count : ConfinedAttr<I64Attr, [IntNonNegative]>;

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// What the instructions refer to
//===----------------------------------------------------------------------===//

def Plan_ArenaOp : Plan_Op<"arena", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "the static memory of one tier on every rank";
  let arguments = (ins Plan_TierAttr:$tier, Plan_Count:$bytes, Plan_Count:$lower_bound, Plan_Count:$capacity);
  let assemblyFormat = "custom<Word>($tier) `bytes` $bytes `at` `least` $lower_bound `of` $capacity attr-dict";
}

def Plan_BufferOp : Plan_Op<"buffer", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "a named range of an arena; with `slots`, this number of ranges in a row";
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$label, Flow_BufferClassAttr:$buffer_class, Plan_TierAttr:$tier,
                       Plan_Count:$offset, Plan_Count:$bytes, UnitAttr:$persistent, OptionalAttr<Plan_Count>:$owner,
                       DefaultValuedAttr<Plan_Count, "0">:$slots);
  let assemblyFormat = [{
    $sym_name $label custom<Word>($buffer_class) custom<Word>($tier) `[` $offset `]` `x` $bytes (`persistent` $persistent^)? (`owner` `(` $owner^ `)`)?
    attr-dict
  }];
}

def Plan_StateOp : Plan_Op<"state", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "a tensor that lives across steps, and where its piece is stored";
  let arguments = (ins StrAttr:$original, Graph_RoleAttr:$role, TypeAttr:$element, DenseI64ArrayAttr:$shape, StrAttr:$group,
                       Graph_InitAttr:$init, StrAttr:$unit, I64Attr:$unit_offset, I64Attr:$piece_elements,
                       UnitAttr:$sharded, Plan_OperandAttr:$home, StrAttr:$bucket, OptionalAttr<Graph_SliceAttr>:$slice,
                       OptionalAttr<StrArrayAttr>:$over, OptionalAttr<DenseI64ArrayAttr>:$split);
  let assemblyFormat = [{
    $original custom<Word>($role) $element $shape `group` $group `init` $init `unit` $unit `[` $unit_offset `]` `pieces` `of` $piece_elements
    (`sharded` $sharded^)? `home` $home `of` $bucket (`slice` `(` $slice^ `)`)? (`over` $over^)? (`split` $split^)? attr-dict
  }];
}

def Plan_SectionOp : Plan_Op<"section", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
                                         HasParent<"::mlir::ModuleOp">]> {
  let summary = "instructions in one total order";
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$label, DefaultValuedAttr<Plan_Count, "1">:$advance);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $label attr-dict-with-keyword $body";
}

def Plan_ScheduleOp : Plan_Op<"schedule", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "the sections that run for a purpose, how often in a row, and in which order";
  let arguments = (ins Flow_PurposeAttr:$purpose, FlatSymbolRefArrayAttr:$sections, DenseI64ArrayAttr:$times);
  let assemblyFormat = "custom<Word>($purpose) $sections `times` $times attr-dict";
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// Lane and ordinal, operands in the order of Instructions.def, waits, origin.
class Plan_Instruction<string mnemonic, dag extra = (ins), string extraFormat = "">
    : Plan_Op<mnemonic, [HasParent<"::windlass::plandialect::SectionOp">]> {
  let arguments = !con((ins Flow_LaneAttr:$lane, ConfinedAttr<I64Attr, [IntPositive]>:$ordinal,
                            TypedArrayAttrBase<Plan_OperandAttr, "array of operands">:$places,
                            TypedArrayAttrBase<Flow_WaitAttr, "array of waits">:$waits, Flow_OriginAttr:$origin), extra);
  let assemblyFormat = "custom<Word>($lane) `ordinal` $ordinal " # extraFormat # " $places `wait` $waits `from` $origin attr-dict";
}

def Plan_LaunchOp : Plan_Instruction<"launch", (ins FlatSymbolRefAttr:$kernel, I64Attr:$begin, I64Attr:$end),
                                     "$kernel `[` $begin `,` $end `)`"> {
  let summary = "run a kernel over a range of its outermost parallel loop";
}
def Plan_AllGatherOp : Plan_Instruction<"all_gather", (ins DenseI64ArrayAttr:$piece_bytes, OptionalAttr<StrArrayAttr>:$over),
                                        "`piece_bytes` $piece_bytes (`over` $over^)?"> {
  let summary = "makes whole tensors from the shards of all ranks";
}
def Plan_ReduceScatterOp : Plan_Instruction<"reduce_scatter", (ins DenseI64ArrayAttr:$piece_bytes, TypeAttr:$element, OptionalAttr<StrArrayAttr>:$over,
                                                               UnitAttr:$staged),
                                            "$element `piece_bytes` $piece_bytes (`over` $over^)? (`staged` $staged^)?"> {
  let summary = "sums over ranks, in rank order; each rank keeps its pieces";
}
def Plan_BroadcastOp : Plan_Instruction<"broadcast", (ins DenseI64ArrayAttr:$piece_bytes, OptionalAttr<StrArrayAttr>:$over),
                                        "`piece_bytes` $piece_bytes (`over` $over^)?"> {
  let summary = "makes whole tensors on every rank from the shard of the owner";
}
def Plan_ReduceOp : Plan_Instruction<"reduce", (ins DenseI64ArrayAttr:$piece_bytes, TypeAttr:$element, OptionalAttr<StrArrayAttr>:$over,
                                                UnitAttr:$staged),
                                     "$element `piece_bytes` $piece_bytes (`over` $over^)? (`staged` $staged^)?"> {
  let summary = "sums over ranks, in rank order, into the shard of the owner";
}
def Plan_SendOp : Plan_Instruction<"send", (ins StrAttr:$item, Plan_Count:$peer), "$item `peer` $peer"> {
  let summary = "sends a value of a micro-batch to another program";
}
def Plan_RecvOp : Plan_Instruction<"recv", (ins StrAttr:$item, Plan_Count:$peer), "$item `peer` $peer"> {
  let summary = "receives the value that another program sends";
}
def Plan_UploadOp : Plan_Instruction<"upload"> { let summary = "host to device"; }
def Plan_OffloadOp : Plan_Instruction<"offload"> { let summary = "device to host"; }
def Plan_ReadOp : Plan_Instruction<"read"> { let summary = "NVMe to host"; }
def Plan_WriteOp : Plan_Instruction<"write"> { let summary = "host to NVMe"; }
def Plan_FeedOp : Plan_Instruction<"feed", (ins StrAttr:$item), "$item"> { let summary = "the training loop fills a buffer"; }
def Plan_ReportOp : Plan_Instruction<"report", (ins StrAttr:$item), "$item"> { let summary = "passes a buffer to the training loop"; }

#endif
