// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FlowDialect.td - where bytes rest and when they move -----*- tablegen -*-===//

#ifndef WINDLASS_FLOW_DIALECT
#define WINDLASS_FLOW_DIALECT

include "dialects/Graph/IR/PlanEnums.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Flow_Dialect : Dialect {
  let name = "flow";
  let cppNamespace = "::windlass::flow";
  let summary = "where bytes are stored, and when they move";
  let description = [{
    Each section is one flat list of instructions, on buffers instead of tensors. Program order defines the meaning.
    Instructions name the buffers that they read and write; the waits between lanes are derived from this and never
    written by hand. Rationale: docs/dialects/flow.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Flow_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::windlass::flow";
  let genSpecializedAttr = 0;
}

/// A tier, or none as long as the tier is not decided; none is written `unplaced`.
def Flow_TierParameter : AttrParameter<"::std::optional<::windlass::plan::Tier>", "a Tier of the plan, or none yet"> {
  let parser = "::windlass::flow::parseTier($_parser)";
  let printer = "$_printer << ::windlass::flow::stringifyTier($_self)";
}
def Flow_TierAttr : AttrDef<Flow_Dialect, "Tier"> {
  let summary = "the tier where bytes are stored";
  let parameters = (ins Flow_TierParameter:$value);
  let mnemonic = "tier";
  let assemblyFormat = "$value";
  let returnType = "::std::optional<::windlass::plan::Tier>";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::windlass::flow::TierAttr::get($_builder.getContext(), $0)";
}

def Flow_BufferClassAttr : PlanEnumAttr<Flow_Dialect, "BufferClass", "BufferClass", "buffer_class">;
def Flow_LaneAttr : PlanEnumAttr<Flow_Dialect, "Lane", "Lane", "lane">;
def Flow_PurposeAttr : PlanEnumAttr<Flow_Dialect, "Purpose", "Purpose", "purpose">;

def Flow_TransferEnum : Flow_Enum<"TransferKind", "which link a copy uses", [
  I32EnumAttrCase<"Upload", 0, "upload">, I32EnumAttrCase<"Offload", 1, "offload">,
  I32EnumAttrCase<"Read", 2, "read">, I32EnumAttrCase<"Write", 3, "write">]>;
def Flow_TransferAttr : EnumAttr<Flow_Dialect, Flow_TransferEnum, "transfer_kind"> { let assemblyFormat = "$value"; }

/// The function instance, the action, the phase of the step, and the micro-batch, counted within the section.
def Flow_OriginAttr : AttrDef<Flow_Dialect, "Origin"> {
  let mnemonic = "origin";
  let summary = "where an instruction comes from";
  let parameters = (ins "::mlir::StringAttr":$function, "::mlir::StringAttr":$what,
                        PlanEnumParameter<"Phase">:$phase,
                        DefaultValuedParameter<"int64_t", "0">:$microBatch);
  let assemblyFormat = "`<` $function `,` $what `,` $phase (`,` `micro_batch` $microBatch^)? `>`";
  let extraClassDeclaration = [{
    /// The same origin with another action.
    OriginAttr doing(::llvm::StringRef what) const;
  }];
}

/// Waits until `ordinal` instructions of `lane` are complete, counted in this section; or, with `previous`, counted in
/// the section before: `previous` has one number per section that may come before.
def Flow_WaitAttr : AttrDef<Flow_Dialect, "Wait"> {
  let mnemonic = "wait";
  let summary = "(lane, ordinal), in this section or in the one before";
  let parameters = (ins PlanEnumParameter<"Lane">:$lane, "int64_t":$ordinal,
                        OptionalParameter<"::mlir::DictionaryAttr">:$previous);
  let assemblyFormat = "`<` $lane `:` $ordinal (`previous` $previous^)? `>`";
}

def Flow_BufferType : TypeDef<Flow_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of bytes in a tier";
  let description = [{
    A home, or a buffer on the way to or from a home, may have an owner. It then holds a value on that data rank
    only, and instructions that access it run on that rank only. A home may have `slots`, each of `bytes`, for the
    values of as many micro-batches. The type of a view has neither; the type of its source has both.
  }];
  let parameters = (ins "int64_t":$bytes, Flow_TierParameter:$tier,
                        DefaultValuedParameter<"int64_t", "-1">:$owner,
                        DefaultValuedParameter<"int64_t", "0">:$slots);
  let builders = [
    TypeBuilder<(ins "int64_t":$bytes, "::std::optional<::windlass::plan::Tier>":$tier), [{
      return $_get($_ctxt, bytes, tier, -1, 0);
    }]>,
    TypeBuilder<(ins "int64_t":$bytes, "::std::optional<::windlass::plan::Tier>":$tier, "int64_t":$owner), [{
      return $_get($_ctxt, bytes, tier, owner, 0);
    }]>];
  let assemblyFormat = "`<` $bytes `,` $tier (`,` `owner` $owner^)? (`slots` $slots^)? `>`";
  let genVerifyDecl = 1;
}

#endif
