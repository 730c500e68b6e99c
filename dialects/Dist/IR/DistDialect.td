// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DistDialect.td - who computes and stores it --------------*- tablegen -*-===//

#ifndef WINDLASS_DIST_DIALECT
#define WINDLASS_DIST_DIALECT

include "mlir/IR/OpBase.td"
include "dialects/Graph/IR/PlanEnums.td"
include "mlir/IR/AttrTypeBase.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::windlass::dist";
  let summary = "which rank computes and stores what";
  let description = [{
    There is one program for all ranks of a mesh. States are not whole tensors but shards of buckets. Collectives
    stand before the first use and after the last production of values. Compute ops are launches of outlined
    kernels. Rationale: docs/dialects/dist.md.
  }];
  let dependentDialects = ["::windlass::graph::GraphDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def Dist_AxisKindAttr : PlanEnumAttr<Dist_Dialect, "AxisKind", "AxisKind", "axis_kind">;

/// A tensor inside a unit: where it starts, in elements.
def Dist_MemberAttr : AttrDef<Dist_Dialect, "Member"> {
  let mnemonic = "member";
  let summary = "a state inside a shard unit";
  let parameters = (ins "::mlir::StringAttr":$original, "::mlir::DenseI64ArrayAttr":$shape, "int64_t":$offset,
                        "::windlass::graph::InitAttr":$init,
                        OptionalParameter<"::windlass::graph::SliceAttr">:$slice);
  let assemblyFormat = "`<` $original `,` $shape `at` $offset `,` $init (`,` $slice^)? `>`";
}

/// A unit is cut into one piece per rank. It holds one tensor, or several small ones.
def Dist_UnitAttr : AttrDef<Dist_Dialect, "Unit"> {
  let mnemonic = "unit";
  let summary = "a tensor, or a pack of small tensors, cut into one piece per rank";
  let description = [{
    `elements` is the size before padding. Each rank holds `piece` = ceil(elements / (64 * dp)) * 64 elements. The
    cut depends only on the tensor, never on ZeRO, bucket or tier.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$elements, "int64_t":$piece,
                        ArrayRefParameter<"::windlass::dist::MemberAttr">:$members);
  let assemblyFormat = "`<` $name `,` $elements `in` `pieces` `of` $piece `,` `[` $members `]` `>`";
}

#endif
