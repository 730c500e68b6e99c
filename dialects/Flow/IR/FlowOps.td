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
    An op that a lane executes. It names the buffers it reads and writes; all of them have an origin and, once
    they are derived, waits as attributes.
  }];
  let methods = [
    InterfaceMethod<"Buffers it reads.", "::llvm::SmallVector<::mlir::Value>", "getReads">,
    InterfaceMethod<"Buffers it writes, whole.", "::llvm::SmallVector<::mlir::Value>", "getWrites">,
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
  let description = [{Exchanges bytes between ranks: whole units on one side, shards on the other.}];
  let methods = [
    InterfaceMethod<"The shard, or the owner's.", "::mlir::Value", "getShard">,
    InterfaceMethod<"Whole tensors.", "::mlir::OperandRange", "getUnits">,
    InterfaceMethod<"Bytes of each unit in the shard.", "::llvm::ArrayRef<int64_t>", "getPieceBytes">,
    InterfaceMethod<"Whether units come from shards, rather than shards from units.", "bool", "bringsUnits">,
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
    `class` is the plan's buffer class. `bucket` and `role` tie it to the states it holds;
    `unit` is the unit's index where the state is whole (one home per unit), -1 for a shard.
    A gradient has a home for every `use` of the parameter, of an `element` type of its own.
    `tier` is `unplaced` until placed, `offset` is -1 until allocated. With an `owner` it holds something on
    that data rank alone; homes of different owners may lie at the same offset. With `slots` it has so many times
    `bytes`: micro-batch i finds its value in slot i mod `slots`, where it waits from one section to another.
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
    The run behind one of this section begins `advance` micro-batches further on.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "1">:$advance);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, CArg<"int64_t", "1">:$advance), [{
    build($_builder, $_state, $_builder.getStringAttr(name), $_builder.getI64IntegerAttr(advance));
  }]>];
}

def Flow_ScheduleOp : Flow_Op<"schedule", [HasParent<"::mlir::ModuleOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "which sections run for a purpose, how often in a row, in which order";
  let description = [{
    The purpose is one of the plan's: `train`, `evaluate` or `sample`. A module has at most one schedule for each.
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
    A checkpoint rests in `checkpoint_home` between the passes, once that is decided.
  }];
  let arguments = (ins StrAttr:$name, Flow_BufferClassAttr:$buffer_class, DefaultValuedAttr<I64Attr, "-1">:$offset,
                       OptionalAttr<Flow_TierAttr>:$checkpoint_home);
  let results = (outs Flow_BufferType:$buffer);
  let assemblyFormat = "$name `class` `(` custom<Word>($buffer_class) `)` attr-dict `:` type($buffer)";
}

def Flow_ViewOp : Flow_Op<"view", [Pure]> {
  let summary = "bytes of a buffer: the only alias there is";
  let description = [{
    From `offset` + the sum of coordinate * stride over the axes of the mesh on. There are as many strides as axes, or
    none.
  }];
  let arguments = (ins Flow_BufferType:$source, I64Attr:$offset, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides);
  let results = (outs Flow_BufferType:$buffer);
  let assemblyFormat = "$source `[` $offset `]` (`strides` $strides^)? attr-dict `:` type($source) `->` type($buffer)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Flow_ReleaseOp : Flow_Op<"release"> {
  let summary = "nothing uses this buffer from here on";
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
    All buffers lie in one arena, which fixes the lane. An output may be the buffer of an input
    (in place). `scratch` is library scratch: its contents mean nothing.
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
    Arguments are the kernel's, inputs then results. Each is a shard (one buffer), a list of whole
    units of which this rank's pieces are meant (`counts` > 1 or `whole`), by its place `over` some axes, or a
    scalar. The pass that materialises transfers turns it into launches over chunks that stream through staging buffers.
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
  let summary = "every rank's shard becomes whole units; rank q's piece lands at q * piece_bytes";
  let assemblyFormat = [{
    $shard `->` $units `piece_bytes` $piece_bytes (`over` $over^)? attr-dict `:` type($shard) `->` type($units)
  }];
}

def Flow_ReduceScatterOp : Flow_Collective<"reduce_scatter", 0,
    (ins Variadic<Flow_BufferType>:$units, Flow_BufferType:$shard, DenseI64ArrayAttr:$piece_bytes,
    TypeAttr:$element, OptionalAttr<StrArrayAttr>:$over)> {
  let summary = "the sum over ranks, in rank order, of whole units; each rank keeps its pieces";
  let assemblyFormat = [{
    $units `->` $shard `piece_bytes` $piece_bytes `of` $element (`over` $over^)? attr-dict `:` type($units) `->` type($shard)
  }];
}

def Flow_BroadcastOp : Flow_Collective<"broadcast", 1,
    (ins Flow_BufferType:$shard, Variadic<Flow_BufferType>:$units, DenseI64ArrayAttr:$piece_bytes,
    OptionalAttr<StrArrayAttr>:$over)> {
  let summary = "the owner's shard becomes whole units on every rank; it holds them back to back";
  let assemblyFormat = [{
    $shard `->` $units `piece_bytes` $piece_bytes (`over` $over^)? attr-dict `:` type($shard) `->` type($units)
  }];
}

def Flow_ReduceOp : Flow_Collective<"reduce", 0,
    (ins Variadic<Flow_BufferType>:$units, Flow_BufferType:$shard, DenseI64ArrayAttr:$piece_bytes,
    TypeAttr:$element, OptionalAttr<StrArrayAttr>:$over)> {
  let summary = "the sum over ranks, in rank order, of whole units, into the owner's shard";
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
