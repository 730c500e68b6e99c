// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FlowDialect.td - where bytes rest and when they move -----*- tablegen -*-===//

#ifndef WINDLASS_FLOW_DIALECT
#define WINDLASS_FLOW_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Flow_Dialect : Dialect {
  let name = "flow";
  let cppNamespace = "::windlass::flow";
  let summary = "where bytes rest, and when they move";
  let description = [{
    One flat list of instructions per section, on buffers instead of tensors. Program order is
    the meaning; instructions name the buffers they read and write; the waits between lanes
    are derived from that, never written by hand. Rationale: docs/dialects/flow.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Flow_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::windlass::flow";
  let genSpecializedAttr = 0;
}

def Flow_TierEnum : Flow_Enum<"Tier", "a level of memory", [
  I32EnumAttrCase<"Device", 0, "device">, I32EnumAttrCase<"Host", 1, "host">,
  I32EnumAttrCase<"Nvme", 2, "nvme">, I32EnumAttrCase<"Unplaced", 3, "unplaced">]>;
def Flow_TierAttr : EnumAttr<Flow_Dialect, Flow_TierEnum, "tier"> { let assemblyFormat = "$value"; }

def Flow_LaneEnum : Flow_Enum<"Lane", "an in-order queue of work on a rank", [
  I32EnumAttrCase<"Compute", 0, "compute">, I32EnumAttrCase<"Gg", 1, "gg">,
  I32EnumAttrCase<"CgIn", 2, "cg_in">, I32EnumAttrCase<"CgOut", 3, "cg_out">,
  I32EnumAttrCase<"NcIn", 4, "nc_in">, I32EnumAttrCase<"NcOut", 5, "nc_out">,
  I32EnumAttrCase<"HostCompute", 6, "host_compute">, I32EnumAttrCase<"Nodes", 7, "nodes">]>;
def Flow_LaneAttr : EnumAttr<Flow_Dialect, Flow_LaneEnum, "lane">;

def Flow_TransferEnum : Flow_Enum<"TransferKind", "which link a copy uses", [
  I32EnumAttrCase<"Upload", 0, "upload">, I32EnumAttrCase<"Offload", 1, "offload">,
  I32EnumAttrCase<"Read", 2, "read">, I32EnumAttrCase<"Write", 3, "write">]>;
def Flow_TransferAttr : EnumAttr<Flow_Dialect, Flow_TransferEnum, "transfer_kind"> { let assemblyFormat = "$value"; }

def Flow_PhaseEnum : Flow_Enum<"Phase", "which part of a step", [
  I32EnumAttrCase<"Forward", 0, "forward">, I32EnumAttrCase<"Recompute", 1, "recompute">,
  I32EnumAttrCase<"Backward", 2, "backward">, I32EnumAttrCase<"Update", 3, "update">]>;

/// function instance, what is done, phase of the step, which of its section's micro-batches
def Flow_OriginAttr : AttrDef<Flow_Dialect, "Origin"> {
  let mnemonic = "origin";
  let summary = "where an instruction comes from";
  let parameters = (ins "::mlir::StringAttr":$function, "::mlir::StringAttr":$what,
                        EnumParameter<Flow_PhaseEnum>:$phase,
                        DefaultValuedParameter<"int64_t", "0">:$microBatch);
  let assemblyFormat = "`<` $function `,` $what `,` $phase (`,` `micro_batch` $microBatch^)? `>`";
  let extraClassDeclaration = [{
    /// The same, for something else that is done.
    OriginAttr doing(::llvm::StringRef what) const;
  }];
}

/// After `ordinal` instructions of `lane` are complete: counted in this section, or,
/// with `previous`, in the section before it (one value per section that may be it).
def Flow_WaitAttr : AttrDef<Flow_Dialect, "Wait"> {
  let mnemonic = "wait";
  let summary = "(lane, ordinal), in this section or in the one before";
  let parameters = (ins EnumParameter<Flow_LaneEnum>:$lane, "int64_t":$ordinal,
                        OptionalParameter<"::mlir::DictionaryAttr">:$previous);
  let assemblyFormat = "`<` $lane `:` $ordinal (`previous` $previous^)? `>`";
}

def Flow_BufferType : TypeDef<Flow_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a range of bytes in a tier";
  let description = [{
    A home, or a buffer on the way to or from one, may have an owner: then it holds something on that rank
    alone, and what touches it runs there alone. Views say nothing of it; their source does.
  }];
  let parameters = (ins "int64_t":$bytes, EnumParameter<Flow_TierEnum>:$tier,
                        DefaultValuedParameter<"int64_t", "-1">:$owner);
  let builders = [TypeBuilder<(ins "int64_t":$bytes, "::windlass::flow::Tier":$tier), [{
    return $_get($_ctxt, bytes, tier, -1);
  }]>];
  let assemblyFormat = "`<` $bytes `,` $tier (`,` `owner` $owner^)? `>`";
  let genVerifyDecl = 1;
}

#endif
