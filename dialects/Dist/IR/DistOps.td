// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- DistOps.td - buckets, collectives, launches --------------*- tablegen -*-===//

#ifndef WINDLASS_DIST_OPS
#define WINDLASS_DIST_OPS

include "dialects/Dist/IR/DistDialect.td"
include "dialects/Graph/IR/GraphDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Dist_Op<string mnemonic, list<Trait> traits = []> : Op<Dist_Dialect, mnemonic, traits>;

def Dist_MeshOp : Dist_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "the ranks, with named axes";
  let description = [{
    Ranks are numbered with the last axis fastest. `dp(4)`: every state is shared out over all ranks.
    `dp_replicate(2), dp_shard(2)`: states are shared out over `dp_shard`, and every coordinate of `dp_replicate`
    has a copy of them. An op that names no axes works over all axes.
    An axis has a kind, which is printed if ranks along it do not have examples of their own: `tp(2) tensor`, whose
    ranks share out the operations of a replica.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$names, DenseI64ArrayAttr:$sizes,
                       TypedArrayAttrBase<Dist_AxisKindAttr, "kinds">:$kinds);
  let assemblyFormat = "$sym_name custom<Axes>($names, $sizes, $kinds) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The ranks of a group over these axes; over all axes if `over` is null.
    int64_t groupRanks(::mlir::ArrayAttr over);
    int64_t ranks() { return groupRanks(nullptr); }
    /// The number of places along the data axes, which may own buckets: ranks() without the axis `tp`.
    int64_t dataRanks();
    /// The size of the last (fastest) axis, whose ranks are consecutive.
    int64_t innermost() { return getSizes().back(); }
    /// The number of consecutive ranks that a group over these axes lies within.
    int64_t groupSpan(::mlir::ArrayAttr over);
    /// A rank's place over these axes: its coordinates along them as one number, the first axis slowest.
    int64_t placeOf(int64_t rank, ::mlir::ArrayAttr over);
    /// By mesh axis: the distance of the bytes of two ranks whose coordinates along the axis differ by 1, if
    /// neighbouring places over the axes `over` are `stride` apart.
    ::llvm::SmallVector<int64_t> strides(::mlir::ArrayAttr over, int64_t stride);
    bool hasAxis(::llvm::StringRef name);
    /// Whether a group over some axes spans several places along axes of data; null: all axes.
    bool spansData(::mlir::ArrayAttr over);
  }];
}

def Dist_BucketOp : Dist_Op<"bucket", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "the states of some units, which one collective moves";
  let description = [{
    A bucket holds whole units of one parameter group and one segment. `zero` is its ZeRO stage: from 1 on optimizer
    states are shards, from 2 on also gradients, from 3 on also parameters. A **shard** is the pieces of a rank back
    to back, a tensor of `shard` elements. `classes` are the states of the bucket (parameter, master, momentum,
    variance).

    Pieces are shared out `over` some axes of the mesh; ranks that differ only in other axes hold the same pieces.
    Gradients and optimizer states may `then` be cut over further axes into **parts** of a piece. A rank holds the
    part at its place over these axes; of each such class it holds the parts of all units back to back.

    With `owner` only one place `over` these axes holds values: its shard is all pieces of every unit.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$zero, StrAttr:$group, StrAttr:$layer,
                       TypedArrayAttrBase<Dist_UnitAttr, "units">:$units, TypeAttr:$parameter_type,
                       TypedArrayAttrBase<Graph_RoleAttr, "roles">:$classes, OptionalAttr<I64Attr>:$owner,
                       OptionalAttr<StrArrayAttr>:$over, OptionalAttr<StrArrayAttr>:$finer);
  let assemblyFormat = [{
    $sym_name `zero` `(` $zero `)` `group` `(` $group `)` `layer` `(` $layer `)` `of` $parameter_type
    `classes` $classes `units` $units (`owner` `(` $owner^ `)`)? (`over` $over^)? (`then` $finer^)?
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Ranks that have a piece of each unit.
    int64_t sharers();
    /// The parts that a piece of gradients or optimizer states is cut into.
    int64_t parts();
    /// Elements of a shard: the sum of the pieces.
    int64_t getShardElements();
    /// The elements of each unit in a shard: one piece, or all pieces if the bucket has an owner.
    ::llvm::SmallVector<int64_t> getPieces();
    /// The elements that a rank has of each unit, of a class that is cut: pieces of parameters, parts of pieces
    /// of the other classes.
    ::llvm::SmallVector<int64_t> getPieces(::windlass::graph::Role role);
    ::llvm::SmallVector<int64_t> getParts();
    /// The sum of getPieces(role).
    int64_t getShardElements(::windlass::graph::Role role);
    int64_t getPartElements() { return getShardElements() / parts(); }
    /// The axes that a class is cut over, if it is cut, coarsest first; null for all axes.
    ::mlir::ArrayAttr axesOf(::windlass::graph::Role role);
    ::mlir::ArrayAttr gradientAxes();
    /// The place over the bucket's axes that alone holds the shard; -1: each place holds its own shard.
    int64_t ownerRank() { return getOwner() ? static_cast<int64_t>(*getOwner()) : -1; }
    bool isSharded(::windlass::graph::Role role) {
      return getZero() >= (role == ::windlass::graph::Role::Parameter ? 3u : 1u);
    }
  }];
}

def Dist_ReadOp : Dist_Op<"read"> {
  let summary = "a bucket's state at the start of the step: its shard, or its whole units";
  let arguments = (ins FlatSymbolRefAttr:$bucket, Graph_RoleAttr:$role);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "$bucket custom<Word>($role) attr-dict `:` type($values)";
}

def Dist_WriteOp : Dist_Op<"write"> {
  let summary = "a bucket's state after the step: its shard, or its whole units";
  let arguments = (ins Variadic<AnyRankedTensor>:$values, FlatSymbolRefAttr:$bucket, Graph_RoleAttr:$role);
  let assemblyFormat = "$values `to` $bucket custom<Word>($role) attr-dict `:` type($values)";
}

def Dist_AllGatherOp : Dist_Op<"all_gather", [Pure]> {
  let summary = "makes whole units from the shards of all ranks";
  let description = [{
    The piece of rank q of unit u is written at elements [q*pieces[u], (q+1)*pieces[u]) of the padded unit. A result
    has the shape of the unit without padding. With `over`, ranks that differ only in these axes are a group, and q
    is the place of a rank in its group.
  }];
  let arguments = (ins AnyRankedTensor:$shard, DenseI64ArrayAttr:$pieces, OptionalAttr<StrAttr>:$bucket,
                       OptionalAttr<StrArrayAttr>:$over);
  let results = (outs Variadic<AnyRankedTensor>:$units);
  let assemblyFormat = "$shard `pieces` $pieces (`of` $bucket^)? (`over` $over^)? attr-dict `:` type($shard) `->` type($units)";
  let hasVerifier = 1;
}

def Dist_ReduceScatterOp : Dist_Op<"reduce_scatter", [Pure]> {
  let summary = "the sum over the ranks of a group, in rank order, of which each rank keeps its pieces";
  let arguments = (ins Variadic<AnyRankedTensor>:$units, DenseI64ArrayAttr:$pieces, OptionalAttr<StrAttr>:$bucket,
                       OptionalAttr<StrArrayAttr>:$over);
  let results = (outs AnyRankedTensor:$shard);
  let assemblyFormat = "$units `pieces` $pieces (`of` $bucket^)? (`over` $over^)? attr-dict `:` type($units) `->` type($shard)";
  let hasVerifier = 1;
}

def Dist_BroadcastOp : Dist_Op<"broadcast", [Pure]> {
  let summary = "makes whole units from the shard of the rank that owns them";
  let description = [{
    The shard holds the padded units back to back, `pieces[u]` elements of unit u. It belongs to the owner of the
    bucket; on other ranks of the group it has no meaning.
  }];
  let arguments = (ins AnyRankedTensor:$shard, DenseI64ArrayAttr:$pieces, OptionalAttr<StrAttr>:$bucket,
                       OptionalAttr<StrArrayAttr>:$over);
  let results = (outs Variadic<AnyRankedTensor>:$units);
  let assemblyFormat = "$shard `pieces` $pieces (`of` $bucket^)? (`over` $over^)? attr-dict `:` type($shard) `->` type($units)";
  let hasVerifier = 1;
}

def Dist_ReduceOp : Dist_Op<"reduce", [Pure]> {
  let summary = "the sum over ranks, in rank order, of whole units, for the rank that owns them";
  let arguments = (ins Variadic<AnyRankedTensor>:$units, DenseI64ArrayAttr:$pieces, OptionalAttr<StrAttr>:$bucket,
                       OptionalAttr<StrArrayAttr>:$over);
  let results = (outs AnyRankedTensor:$shard);
  let assemblyFormat = "$units `pieces` $pieces (`of` $bucket^)? (`over` $over^)? attr-dict `:` type($units) `->` type($shard)";
  let hasVerifier = 1;
}

def Dist_OwnShardOp : Dist_Op<"own_shard", [Pure]> {
  let summary = "this rank's pieces, back to back, of units that are equal on all ranks of its group; moves nothing";
  let description = [{
    The pieces are those at the place of the rank `over` some axes of the mesh, the first slowest; without `over`, over
    all axes.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$units, DenseI64ArrayAttr:$pieces, OptionalAttr<StrArrayAttr>:$over);
  let results = (outs AnyRankedTensor:$shard);
  let assemblyFormat = "$units `pieces` $pieces (`over` $over^)? attr-dict `:` type($units) `->` type($shard)";
  let hasVerifier = 1;
}

def Dist_PackOp : Dist_Op<"pack", [Pure]> {
  let summary = "puts small tensors into one 1-D unit at element offsets; gaps are zero";
  let arguments = (ins Variadic<AnyRankedTensor>:$members, DenseI64ArrayAttr:$offsets);
  let results = (outs AnyRankedTensor:$packed);
  let assemblyFormat = "$members `at` $offsets attr-dict `:` type($members) `->` type($packed)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Dist_UnpackOp : Dist_Op<"unpack", [Pure]> {
  let summary = "the tensors inside a packed unit; moves nothing";
  let arguments = (ins AnyRankedTensor:$packed, DenseI64ArrayAttr:$offsets);
  let results = (outs Variadic<AnyRankedTensor>:$members);
  let assemblyFormat = "$packed `at` $offsets attr-dict `:` type($packed) `->` type($members)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Dist_NormSlotsOp : Dist_Op<"norm_slots", [Pure]> {
  let summary = "one f64 sum of squares per piece of this rank";
  let description = [{
    The operands are shards of buckets, the result has one slot per unit, in bucket order. The cut into pieces is
    fixed per tensor, so that the norm does not depend on ZeRO, bucket size, tier or chunk. With `owners` (for each
    shard a place `over` some axes, or -1) there is a row of slots for every place. A rank fills its own row for
    shards without owner and all rows for shards that it owns; other slots are zero.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$shards, TypedArrayAttrBase<DenseI64ArrayAttr, "pieces of each shard">:$pieces,
                       OptionalAttr<DenseI64ArrayAttr>:$owners, OptionalAttr<StrArrayAttr>:$over);
  let results = (outs AnyRankedTensor:$slots);
  let assemblyFormat = [{
    $shards `pieces` $pieces (`owners` $owners^)? (`over` $over^)? attr-dict `:` type($shards) `->` type($slots)
  }];
}

def Dist_LaunchOp : Dist_Op<"launch", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs an outlined kernel";
  let description = [{The kernel is a `func.func` with the attribute `dist.kernel`; its body is one graph op.}];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

def Dist_SendOp : Dist_Op<"send"> {
  let summary = "sends a value to another stage of the pipeline, from each rank to the rank at the same place there";
  let arguments = (ins AnyRankedTensor:$value, StrAttr:$item, I64Attr:$from, I64Attr:$to);
  let assemblyFormat = "$value `as` $item `stage` $from `->` $to attr-dict `:` type($value)";
}

def Dist_RecvOp : Dist_Op<"recv"> {
  let summary = "receives the value that another stage of the pipeline sends under this name";
  let arguments = (ins StrAttr:$item, I64Attr:$from, I64Attr:$to);
  let results = (outs AnyRankedTensor:$value);
  let assemblyFormat = "$item `stage` $from `->` $to attr-dict `:` type($value)";
}

#endif
