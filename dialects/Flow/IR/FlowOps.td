// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FlowOps.td - buffers, transfers, launches ----------------*- tablegen -*-===//

#ifndef WINDLASS_FLOW_OPS
#define WINDLASS_FLOW_OPS

include "dialects/Flow/IR/FlowDialect.td"
include "dialects/Graph/IR/GraphDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Instructions: what becomes an instruction of the plan
//===----------------------------------------------------------------------===//

def InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::windlass::flow";
  let description = [{
    An op that a lane executes. It names the buffers that it reads and writes. Every such op has an origin as an
    attribute and, once waits are derived, its waits.
  }];
  let methods = [
    InterfaceMethod<"Buffers that it reads.", "::llvm::SmallVector<::mlir::Value>", "getReads">,
    InterfaceMethod<"Buffers that it writes as a whole.", "::llvm::SmallVector<::mlir::Value>", "getWrites">,
    InterfaceMethod<"The lane that follows from the tiers of its operands; none while a tier is open.",
                    "::std::optional<::windlass::plan::Lane>", "deriveLane">,
    InterfaceMethod<"Where it comes from.", "OriginAttr", "origin", (ins), [{
      return $_op->template getAttrOfType<OriginAttr>("origin"); }]>,
    InterfaceMethod<"What it waits for.", "::mlir::ArrayAttr", "waits", (ins), [{
      return $_op->template getAttrOfType<::mlir::ArrayAttr>("waits"); }]>,
  ];
}

def CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::windlass::flow";
  let description = [{The op exchanges bytes between ranks, with whole units on one side and shards on the other.}];
  let methods = [
    InterfaceMethod<"The shard of this rank, or of the owner.", "::mlir::Value", "getShard">,
    InterfaceMethod<"Whole tensors.", "::mlir::OperandRange", "getUnits">,
    InterfaceMethod<"Bytes of each unit in the shard.", "::llvm::ArrayRef<int64_t>", "getPieceBytes">,
    InterfaceMethod<"Whether it makes units from shards; otherwise it makes shards from units.", "bool", "bringsUnits">,
    InterfaceMethod<"The axes of the mesh it runs over; none: all of them.", "::mlir::ArrayAttr", "axes", (ins), [{
      return $_op->template getAttrOfType<::mlir::ArrayAttr>("over"); }]>,
  ];
}

class Flow_Op<string mnemonic, list<Trait> traits = []> : Op<Flow_Dialect, mnemonic, traits>;
class Flow_Instruction<string mnemonic, dag own, list<Trait> traits = []>
    : Flow_Op<mnemonic, !listconcat([DeclareOpInterfaceMethods<InstructionOpInterface>], traits)> {
  let arguments = !con(own, (ins OptionalAttr<Flow_OriginAttr>:$origin,
                                 OptionalAttr<TypedArrayAttrBase<Flow_WaitAttr, "array of waits">>:$waits));
}
class Flow_Collective<string mnemonic, bit gathers, dag own> : Flow_Instruction<mnemonic, own, [CollectiveOpInterface]> {
  let hasVerifier = 1;
  let extraClassDeclaration = "static bool bringsUnits() { return " # !if(gathers, "true", "false") # "; }";
}

//===----------------------------------------------------------------------===//
// Homes, sections, buffers
//===----------------------------------------------------------------------===//

def Flow_HomeOp : Flow_Op<"home", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "bytes that live across sections: a state, an accumulator, the norm slots";
  let description = [{
    `class` is the buffer class of the plan. `bucket` and `role` name the states in the home. `unit` is the index of
    the unit where the state is whole (one home per unit), and -1 for a shard. A gradient has a home for every `use`
    of the parameter, with an `element` type of its own. `tier` is `unplaced` until the home is placed, and `offset`
    is -1 until it is allocated. A home with an `owner` holds a value on that data rank only; homes of different
    owners may have the same offset. A home with `slots` has this number of slots of `bytes` each: the value of
    micro-batch i waits from one section to another in slot i mod `slots`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$bytes, Flow_BufferClassAttr:$buffer_class, Flow_TierAttr:$tier,
                       OptionalAttr<FlatSymbolRefAttr>:$bucket, OptionalAttr<Graph_RoleAttr>:$role,
                       DefaultValuedAttr<I64Attr, "-1">:$unit, DefaultValuedAttr<I64Attr, "0">:$use,
                       OptionalAttr<TypeAttr>:$element, DefaultValuedAttr<I64Attr, "-1">:$offset,
                       DefaultValuedAttr<I64Attr, "-1">:$owner, DefaultValuedAttr<I64Attr, "0">:$slots);
  let assemblyFormat = "$sym_name `bytes` `(` $bytes `)` `class` `(` custom<Word>($buffer_class) `)` `tier` `(` custom<Tier>($tier) `)` attr-dict";
  let hasVerifier = 1;
}

def Flow_SectionOp : Flow_Op<"section", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
                                         HasParent<"::mlir::ModuleOp">]> {
  let summary = "a flat list of instructions that runs as a whole";
  let description = [{
    The run after a run of this section begins `advance` micro-batches later.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "1">:$advance);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, CArg<"int64_t", "1">:$advance), [{
    build($_builder, $_state, $_builder.getStringAttr(name), $_builder.getI64IntegerAttr(advance));
  }]>];
}

def Flow_ScheduleOp : Flow_Op<"schedule", [HasParent<"::mlir::ModuleOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the sections that run for a purpose, how often in a row, and in which order";
  let description = [{
    The purpose is a purpose of the plan: `train`, `evaluate` or `sample`. A module has at most one schedule for
    each.
  }];
  let arguments = (ins Flow_PurposeAttr:$purpose, FlatSymbolRefArrayAttr:$sections, DenseI64ArrayAttr:$times);
  let assemblyFormat = "custom<Word>($purpose) $sections `times` $times attr-dict";
  let hasVerifier = 1;
}

def Flow_UseOp : Flow_Op<"use", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a home, as a buffer of this section";
  let arguments = (ins FlatSymbolRefAttr:$home);
  let results = (outs Flow_BufferType:$buffer);
  let assemblyFormat = "$home attr-dict `:` type($buffer)";
}

def Flow_AllocOp : Flow_Op<"alloc"> {
  let summary = "a buffer that lives until its release; its offset is decided when memory is planned";
  let description = [{
    An activation checkpoint is stored in `checkpoint_home` between the forward and the backward pass, once that
    tier is decided.
  }];
  let arguments = (ins StrAttr:$name, Flow_BufferClassAttr:$buffer_class, DefaultValuedAttr<I64Attr, "-1">:$offset,
                       OptionalAttr<Flow_TierAttr>:$checkpoint_home);
  let results = (outs Flow_BufferType:$buffer);
  let assemblyFormat = "$name `class` `(` custom<Word>($buffer_class) `)` attr-dict `:` type($buffer)";
}

def Flow_ViewOp : Flow_Op<"view", [Pure]> {
  let summary = "a range of the bytes of a buffer; the only way to alias one";
  let description = [{
    The range begins at `offset` + the sum of coordinate * stride over the axes of the mesh. There is one stride per
    axis, or none at all.
  }];
  let arguments = (ins Flow_BufferType:$source, I64Attr:$offset, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides);
  let results = (outs Flow_BufferType:$buffer);
  let assemblyFormat = "$source `[` $offset `]` (`strides` $strides^)? attr-dict `:` type($source) `->` type($buffer)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Flow_ReleaseOp : Flow_Op<"release"> {
  let summary = "ends the life of a buffer: nothing uses it afterwards";
  let arguments = (ins Flow_BufferType:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

def Flow_LaunchOp : Flow_Instruction<"launch",
    (ins FlatSymbolRefAttr:$kernel, Variadic<Flow_BufferType>:$inputs, Variadic<Flow_BufferType>:$outputs,
    Variadic<Flow_BufferType>:$scratch, I64Attr:$begin, I64Attr:$end), [AttrSizedOperandSegments]> {
  let summary = "runs a kernel over [begin, end) of its outermost parallel loop";
  let description = [{
    All buffers are in one arena, which determines the lane. An output may be the buffer of an input (in place).
    `scratch` is scratch memory of a library: its contents have no meaning.
  }];
  let assemblyFormat = [{
    $kernel `[` $begin `,` $end `)` `(` $inputs `)` `->` `(` $outputs `)` (`scratch` `(` $scratch^ `:` type($scratch) `)`)?
    attr-dict `:` functional-type($inputs, $outputs)
  }];
}

def Flow_UpdateOp : Flow_Instruction<"update",
    (ins FlatSymbolRefAttr:$kernel, Variadic<Flow_BufferType>:$buffers, DenseI64ArrayAttr:$counts,
    DenseBoolArrayAttr:$whole, I64Attr:$num_inputs, DenseI64ArrayAttr:$pieces,
    DenseI64ArrayAttr:$element_bytes, OptionalAttr<StrArrayAttr>:$over)> {
  let summary = "an elementwise kernel over a bucket's shard, before it is cut into chunks";
  let description = [{
    The arguments are those of the kernel: inputs, then results. Each argument is a shard (one buffer), a scalar, or
    a list of whole units (`counts` > 1 or `whole`), of which the pieces of this rank are meant, by its place `over`
    some axes. The pass materialize-transfers turns the op into launches over chunks that stream through staging
    buffers.
  }];
  let assemblyFormat = "$kernel `(` $buffers `)` attr-dict `:` type($buffers)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

def Flow_TransferOp : Flow_Instruction<"transfer",
    (ins Flow_TransferAttr:$kind, Flow_BufferType:$source, Flow_BufferType:$target)> {
  let summary = "copies a buffer over a link: upload, offload, read, write";
  let assemblyFormat = "custom<Word>($kind) $source `->` $target attr-dict `:` type($source) `->` type($target)";
  let hasVerifier = 1;
}

def Flow_AllGatherOp : Flow_Collective<"all_gather", 1,
    (ins Flow_BufferType:$shard, Variadic<Flow_BufferType>:$units, DenseI64ArrayAttr:$piece_bytes,
    OptionalAttr<StrArrayAttr>:$over)> {
  let summary = "makes whole units from the shards of all ranks; the piece of rank q is written at q * piece_bytes";
  let assemblyFormat = [{
    $shard `->` $units `piece_bytes` $piece_bytes (`over` $over^)? attr-dict `:` type($shard) `->` type($units)
  }];
}

def Flow_ReduceScatterOp : Flow_Collective<"reduce_scatter", 0,
    (ins Variadic<Flow_BufferType>:$units, Flow_BufferType:$shard, DenseI64ArrayAttr:$piece_bytes,
    TypeAttr:$element, OptionalAttr<StrArrayAttr>:$over)> {
  let summary = "sums whole units over ranks, in rank order; each rank keeps its pieces";
  let assemblyFormat = [{
    $units `->` $shard `piece_bytes` $piece_bytes `of` $element (`over` $over^)? attr-dict `:` type($units) `->` type($shard)
  }];
}

def Flow_BroadcastOp : Flow_Collective<"broadcast", 1,
    (ins Flow_BufferType:$shard, Variadic<Flow_BufferType>:$units, DenseI64ArrayAttr:$piece_bytes,
    OptionalAttr<StrArrayAttr>:$over)> {
  let summary = "makes whole units on every rank from the shard of the owner, which holds them back to back";
  let assemblyFormat = [{
    $shard `->` $units `piece_bytes` $piece_bytes (`over` $over^)? attr-dict `:` type($shard) `->` type($units)
  }];
}

def Flow_ReduceOp : Flow_Collective<"reduce", 0,
    (ins Variadic<Flow_BufferType>:$units, Flow_BufferType:$shard, DenseI64ArrayAttr:$piece_bytes,
    TypeAttr:$element, OptionalAttr<StrArrayAttr>:$over)> {
  let summary = "sums whole units over ranks, in rank order, into the shard of the owner";
  let assemblyFormat = [{
    $units `->` $shard `piece_bytes` $piece_bytes `of` $element (`over` $over^)? attr-dict `:` type($units) `->` type($shard)
  }];
}

def Flow_SendOp : Flow_Instruction<"send",
    (ins StrAttr:$item, Flow_BufferType:$buffer, I64Attr:$from, I64Attr:$to)> {
  let summary = "hands a value of a micro-batch to another stage of the pipeline";
  let assemblyFormat = "$item `,` $buffer `stage` $from `->` $to attr-dict `:` type($buffer)";
}

def Flow_RecvOp : Flow_Instruction<"recv",
    (ins StrAttr:$item, Flow_BufferType:$buffer, I64Attr:$from, I64Attr:$to)> {
  let summary = "takes the value that another stage of the pipeline sends under the same name";
  let assemblyFormat = "$item `->` $buffer `stage` $from `->` $to attr-dict `:` type($buffer)";
}

def Flow_FeedOp : Flow_Instruction<"feed",
    (ins StrAttr:$item, Flow_BufferType:$buffer)> {
  let summary = "the training loop fills a host buffer";
  let assemblyFormat = "$item `->` $buffer attr-dict `:` type($buffer)";
}

def Flow_ReportOp : Flow_Instruction<"report",
    (ins StrAttr:$item, Flow_BufferType:$buffer)> {
  let summary = "hands a host buffer to the training loop";
  let assemblyFormat = "$item `,` $buffer attr-dict `:` type($buffer)";
}

#endif
