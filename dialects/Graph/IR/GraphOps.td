//===- GraphOps.td - states, steps, maps, reductions, coarse ops -*- tablegen -*-===//

#ifndef WINDLASS_GRAPH_OPS
#define WINDLASS_GRAPH_OPS

include "dialects/Graph/IR/GraphDialect.td"
include "dialects/Graph/IR/GraphInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

class Graph_Op<string mnemonic, list<Trait> traits = []> : Op<Graph_Dialect, mnemonic, traits>;
class Graph_ComputeOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([Pure], traits)>;

def LoopInterface : DeclareOpInterfaceMethods<IterationSpaceOpInterface>;
def AdjointInterface : DeclareOpInterfaceMethods<DifferentiableOpInterface>;
def Decomposition : DeclareOpInterfaceMethods<DecomposableOpInterface>;
def CompositeDecomposition : DeclareOpInterfaceMethods<DecomposableOpInterface, ["isOneKernel"]>;

//===----------------------------------------------------------------------===//
// States and steps
//===----------------------------------------------------------------------===//

def Graph_StateOp : Graph_Op<"state", [Symbol, HasParent<"::mlir::ModuleOp">,
                                       DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a tensor that lives across steps";
  let description = [{
    `original` is the name checkpoints use. A momentum, variance or master state names
    the parameter it belongs to in `of`. `group` is the parameter group (decay, no_decay,
    frozen, or statistics: the running statistics of batch norms, which batches change and no optimizer).
    `layer` is the function instance that owns it ("h.0"), empty for the step itself.
    `slice` says which part of the tensor `original` this state is, where it is not all of it:
    checkpoints and initial values are those of the whole tensor.

    ```mlir
    graph.state @h.0.mlp.c_fc.weight : tensor<256x1024xf32> role(parameter)
        init(<normal = true, mean = 0.0 : f64, std = 0.02 : f64>) original("h.0.mlp.c_fc.weight") group("decay")
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyStaticShapeTensor>:$type, Graph_RoleAttr:$role,
      Graph_InitAttr:$init, StrAttr:$original, StrAttr:$group, OptionalAttr<FlatSymbolRefAttr>:$of,
      OptionalAttr<Graph_SliceAttr>:$slice, DefaultValuedAttr<StrAttr, "\"\"">:$layer);
  let assemblyFormat = [{
    $sym_name `:` $type `role` `(` custom<Word>($role) `)` `init` `(` $init `)` `original` `(` $original `)`
    `group` `(` $group `)` (`of` $of^)? (`slice` `(` $slice^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
}

def Graph_StepOp : Graph_Op<"step", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator,
                                     HasParent<"::mlir::ModuleOp">]> {
  let summary = "one thing the runtime can be asked to do: train, evaluate, sample";
  let description = [{
    The only place that reads and writes states, takes feeds and makes reports.
    `@train` is one optimizer update of one or more micro-batches; `@evaluate` and
    `@sample` are forward passes.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def Graph_ReadOp : Graph_Op<"read", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a state at the start of the step; never casts";
  let arguments = (ins FlatSymbolRefAttr:$state);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$state attr-dict `:` type($value)";
}

def Graph_WriteOp : Graph_Op<"write", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a state after the step; one write per state";
  let arguments = (ins AnyStaticShapeTensor:$value, FlatSymbolRefAttr:$state);
  let assemblyFormat = "$value `,` $state attr-dict `:` type($value)";
}

def Graph_FeedOp : Graph_Op<"feed"> {
  let summary = "a tensor the training loop brings: a batch, the learning rate";
  let description = [{
    Inside `micro_batches` the item is brought for each micro-batch, outside once a step.
    `bound`: integers are in [0, bound).
  }];
  let arguments = (ins StrAttr:$item, DefaultValuedAttr<I64Attr, "0">:$bound, DefaultValuedAttr<StrAttr, "\"\"">:$input_role);
  let results = (outs AnyStaticShapeTensor:$value);
  let assemblyFormat = "$item attr-dict `:` type($value)";
}

def Graph_ReportOp : Graph_Op<"report"> {
  let summary = "a tensor handed to the training loop: the loss, the norm, logits";
  let arguments = (ins StrAttr:$item, AnyStaticShapeTensor:$value);
  let assemblyFormat = "$item `,` $value attr-dict `:` type($value)";
}

def Graph_MicroBatchesOp : Graph_Op<"micro_batches", [SingleBlock]> {
  let summary = "its body runs count times; its results are the sums of what it yields";
  let description = [{
    Values are summed over micro-batches in order (the first stores) after they were
    summed over ranks. A sum may have a wider float type than what is yielded: it is then
    accumulated in that type. Reads inside see the start of the step.
  }];
  let arguments = (ins I64Attr:$count);
  let results = (outs Variadic<AnyStaticShapeTensor>:$sums);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`count` `(` $count `)` $body attr-dict (`:` type($sums)^)?";
  let hasVerifier = 1;
}

def Graph_YieldOp : Graph_Op<"yield", [Pure, Terminator]> {
  let summary = "ends a region with its values";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ }]>];
}

//===----------------------------------------------------------------------===//
// Maps and reductions: every elementwise op, activation and optimizer
//===----------------------------------------------------------------------===//

def Graph_MapOp : Graph_ComputeOp<"map", [SingleBlock, IsolatedFromAbove, LoopInterface, AdjointInterface]> {
  let summary = "one scalar body for every element of its results";
  let description = [{
    The loops are the dimensions of the results, which all have one shape. `maps` gives
    for every input the affine map from loops to its indices. An index is a sum of loops times
    constants plus a constant, inside its dimension in every iteration: so identities,
    permutations, broadcasts (fewer results), fixed indices, slices and windows. The
    derivative knows windows of two loops. Bodies are `arith` and `math` on scalars, `graph.index`,
    `graph.lookup` and `graph.random`.

    ```mlir
    %y = graph.map ins(%x, %b : tensor<128x256xf32>, tensor<256xf32>)
        maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<128x256xf32> {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      graph.yield %s : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, AffineMapArrayAttr:$maps);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` ($inputs^ `:` type($inputs))? `)` `maps` $maps `->` type($results) $body attr-dict
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::AffineMap> getMapValues() {
      return ::llvm::to_vector(getMaps().getAsValueRange<::mlir::AffineMapAttr>());
    }
    ::mlir::OperandRange getYielded() { return getBody().front().getTerminator()->getOperands(); }
  }];
}

def Graph_ReduceOp : Graph_ComputeOp<"reduce", [SingleBlock, IsolatedFromAbove, LoopInterface, AdjointInterface]> {
  let summary = "sum or maximum of a scalar body over some loops";
  let description = [{
    Loops d0..dn-1 take their extents from the inputs' shapes through `maps`: every loop is the
    plain index of at least one input. Where windows are read that cannot be, and `extents` lists
    them. `dims` are the loops that are reduced; the results have the other loops, in order, as
    dimensions (rank 0 if none is left). Indices are as those of a map.
    The body yields what is combined; the result's element type is the accumulation's.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, AffineMapArrayAttr:$maps, Graph_CombineAttr:$combine,
                       DenseI64ArrayAttr:$dims, OptionalAttr<DenseI64ArrayAttr>:$extents);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Word>($combine) `over` $dims (`of` $extents^)? `ins` `(` $inputs `:` type($inputs) `)` `maps` $maps `->` type($results) $body attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::AffineMap> getMapValues() {
      return ::llvm::to_vector(getMaps().getAsValueRange<::mlir::AffineMapAttr>());
    }
    ::mlir::OperandRange getYielded() { return getBody().front().getTerminator()->getOperands(); }
  }];
}

def Graph_IndexOp : Graph_Op<"index", [Pure]> {
  let summary = "the value of a loop, inside a map or reduction";
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim);
  let results = (outs Index:$value);
  let assemblyFormat = "$dim attr-dict `:` type($value)";
}

def Graph_LookupOp : Graph_Op<"lookup", [Pure]> {
  let summary = "an element of a table of literals, inside a map or reduction";
  let description = [{
    Literal tensors are maps that read nothing: so they are fused like any other, and take no memory.

    ```mlir
    %v = graph.lookup dense<[1.0, 0.5]> : tensor<2xf32> [%i] : f32
    ```
  }];
  let arguments = (ins ElementsAttr:$table, Variadic<Index>:$indices);
  let results = (outs AnyType:$value);
  let assemblyFormat = "$table `[` $indices `]` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Graph_RandomOp : Graph_Op<"random", [Pure]> {
  let summary = "a random number in [0, 1), inside a map or reduction";
  let description = [{
    Number (row, column) of the Philox stream of a key (`runtime/base/Random.h`): a multiple of 2^-24 that
    depends on nothing else, so that it can be drawn again instead of being kept.

    ```mlir
    %u = graph.random %key0, %key1 [%row, %column] : f32
    ```
  }];
  let arguments = (ins I32:$key0, I32:$key1, Index:$row, Index:$column);
  let results = (outs F32:$value);
  let assemblyFormat = "$key0 `,` $key1 `[` $row `,` $column `]` attr-dict `:` type($value)";
}

def Graph_ReshapeOp : Graph_ComputeOp<"reshape", [AdjointInterface]> {
  let summary = "the same elements in the same row-major order under another shape; moves nothing";
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_StackOp : Graph_ComputeOp<"stack", [LoopInterface, AdjointInterface]> {
  let summary = "places its inputs side by side along a loop";
  let description = [{
    Along a new loop, which `map` does not use, each input takes one index of dimension `axis`: result[i.., c,
    ..] = inputs[c][map(i)]. Along a loop that is an index of the inputs, each takes as many as it is long there.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, AffineMapAttr:$map, I64Attr:$axis);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "`axis` $axis `ins` `(` $inputs `:` type($inputs) `)` `map` $map attr-dict `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How much of dimension `axis` each input takes.
    ::llvm::SmallVector<int64_t> getParts();
  }];
}

def Graph_PadOp : Graph_ComputeOp<"pad", [LoopInterface, AdjointInterface]> {
  let summary = "its input spread out inside a larger tensor";
  let description = [{
    result[before + step * i] = input[i] in every dimension; every other element is `value`. What a slice
    reads, a pad puts back: each is the other's adjoint.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, DenseI64ArrayAttr:$before, DenseI64ArrayAttr:$steps,
                       DefaultValuedAttr<F64Attr, "0.0">:$value);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `before` $before `steps` $steps attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Indices of the input to those of the result.
    ::mlir::AffineMap getPlacement();
  }];
}

//===----------------------------------------------------------------------===//
// Coarse ops: where a library kernel or one row kernel exists
//===----------------------------------------------------------------------===//

def Graph_MatmulOp : Graph_ComputeOp<"matmul", [AccumulatingOpInterface, LoopInterface, AdjointInterface]> {
  let summary = "matrix product over equal leading batch dimensions, accumulated in f32";
  let description = [{
    Loops: batch..., m, n (parallel), k (reduction). `transpose_a` means A is stored k x m.
    The two gradients are two more matmuls. `onto` is added to the product.
  }];
  let arguments = (ins AnyStaticShapeTensor:$a, AnyStaticShapeTensor:$b, Optional<AnyStaticShapeTensor>:$onto,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $a (`transposed` $transpose_a^)? `,` $b (`transposed` $transpose_b^)? (`onto` `(` $onto^ `:` type($onto) `)`)?
    attr-dict `:` type($a) `,` type($b) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$b,
                                 CArg<"bool", "false">:$transposeA, CArg<"bool", "false">:$transposeB), [{
    build($_builder, $_state, result, a, b, ::mlir::Value(), transposeA, transposeB);
  }]>];
  let hasVerifier = 1;
}

def Graph_EmbeddingOp : Graph_ComputeOp<"embedding", [AccumulatingOpInterface, LoopInterface, AdjointInterface]> {
  let summary = "rows of a table: result[i..., d] = table[indices[i...], d]";
  let description = [{
    With `first` the table is a part of a longer one, which begins at that row: rows outside of it are 0.
    `onto` is added to what is looked up.
  }];
  let arguments = (ins AnyStaticShapeTensor:$table, AnyStaticShapeTensor:$indices, Optional<AnyStaticShapeTensor>:$onto,
                       OptionalAttr<I64Attr>:$first);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $table (`from` $first^)? `,` $indices (`onto` `(` $onto^ `:` type($onto) `)`)? attr-dict
    `:` type($table) `,` type($indices) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$table, "::mlir::Value":$indices), [{
    build($_builder, $_state, result, table, indices, ::mlir::Value(), ::mlir::IntegerAttr());
  }]>];
  let hasVerifier = 1;
}

def Graph_EmbeddingGradOp : Graph_ComputeOp<"embedding_grad", [LoopInterface]> {
  let summary = "sum of rows by index, in index order: result[indices[i], d] += gradient[i, d]";
  let description = [{
    The outermost loop is d, so that ranges of it may run anywhere with equal bits. With `first` the result is
    the part of a longer table that begins at that row; what belongs to others is left out.
  }];
  let arguments = (ins AnyStaticShapeTensor:$gradient, AnyStaticShapeTensor:$indices, OptionalAttr<I64Attr>:$first);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $gradient `,` $indices (`from` $first^)? attr-dict `:` type($gradient) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_LayerNormOp : Graph_ComputeOp<"layer_norm", [LoopInterface, AdjointInterface, Decomposition]> {
  let summary = "normalises the last dimension, then scales and shifts";
  let description = [{`mean` and `rstd` (one over the deviation) have one element per row, in f32.}];
  let arguments = (ins AnyStaticShapeTensor:$input, AnyStaticShapeTensor:$scale, AnyStaticShapeTensor:$shift, F64Attr:$epsilon);
  let results = (outs AnyStaticShapeTensor:$result, AnyStaticShapeTensor:$mean, AnyStaticShapeTensor:$rstd);
  let assemblyFormat = [{
    $input `,` $scale `,` $shift `epsilon` `(` $epsilon `)` attr-dict
    `:` type($input) `,` type($scale) `,` type($shift) `->` type($result) `,` type($mean) `,` type($rstd)
  }];
  let hasVerifier = 1;
}

def Graph_LayerNormGradOp : Graph_ComputeOp<"layer_norm_grad", [LoopInterface, Decomposition]> {
  let summary = "gradient of layer_norm's input; scale and shift gradients are reductions";
  let arguments = (ins AnyStaticShapeTensor:$gradient, AnyStaticShapeTensor:$input, AnyStaticShapeTensor:$scale,
                       AnyStaticShapeTensor:$mean, AnyStaticShapeTensor:$rstd);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $gradient `,` $input `,` $scale `,` $mean `,` $rstd attr-dict
    `:` type($gradient) `,` type($input) `,` type($scale) `,` type($mean) `,` type($rstd) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_RmsNormOp : Graph_ComputeOp<"rms_norm", [LoopInterface, AdjointInterface, Decomposition]> {
  let summary = "divides the last dimension by its root mean square, then scales";
  let description = [{`rstd` (one over the root of the mean square and epsilon) has one element per row, in f32.}];
  let arguments = (ins AnyStaticShapeTensor:$input, AnyStaticShapeTensor:$scale, F64Attr:$epsilon);
  let results = (outs AnyStaticShapeTensor:$result, AnyStaticShapeTensor:$rstd);
  let assemblyFormat = [{
    $input `,` $scale `epsilon` `(` $epsilon `)` attr-dict
    `:` type($input) `,` type($scale) `->` type($result) `,` type($rstd)
  }];
  let hasVerifier = 1;
}

def Graph_RmsNormGradOp : Graph_ComputeOp<"rms_norm_grad", [LoopInterface, Decomposition]> {
  let summary = "gradient of rms_norm's input; the scale's gradient is a reduction";
  let arguments = (ins AnyStaticShapeTensor:$gradient, AnyStaticShapeTensor:$input, AnyStaticShapeTensor:$scale,
                       AnyStaticShapeTensor:$rstd);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $gradient `,` $input `,` $scale `,` $rstd attr-dict
    `:` type($gradient) `,` type($input) `,` type($scale) `,` type($rstd) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_BatchNormOp : Graph_ComputeOp<"batch_norm", [LoopInterface, AdjointInterface, CompositeDecomposition]> {
  let summary = "normalises each channel (dimension 1), then scales and shifts";
  let description = [{
    `mean` and `variance` are the running statistics, one element a channel. In its training form, which
    `materialize-batch-norm` gives it in the train step, the op normalises with the mean and the variance of the
    batch itself, and what its adjoint says of the running statistics is not a gradient but by how much this batch
    changes them: `share`, one f32, of how far its own statistics are from them (with `unbiased` its variance is
    divided by the number of elements less one, as PyTorch's is). `momentum` is the share of one batch alone. Without
    `share` the op normalises with the running statistics and has no adjoint. `used_mean` and `used_variance` are
    those it normalised with.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, AnyStaticShapeTensor:$scale, AnyStaticShapeTensor:$shift,
                       AnyStaticShapeTensor:$mean, AnyStaticShapeTensor:$variance,
                       Optional<AnyStaticShapeTensor>:$share, F64Attr:$epsilon, F64Attr:$momentum, UnitAttr:$unbiased);
  let results = (outs AnyStaticShapeTensor:$result, AnyStaticShapeTensor:$used_mean,
                      AnyStaticShapeTensor:$used_variance);
  let assemblyFormat = [{
    $input `,` $scale `,` $shift `running` `(` $mean `,` $variance `)` `epsilon` `(` $epsilon `)`
    `momentum` `(` $momentum `)` (`unbiased` $unbiased^)?
    (`training` `(` $share^ `:` type($share) `)`)? attr-dict
    `:` type($input) `,` type($scale) `,` type($shift) `,` type($mean) `,` type($variance)
    `->` type($result) `,` type($used_mean) `,` type($used_variance)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements of one channel.
    int64_t getCount();
    bool isTraining() { return static_cast<bool>(getShare()); }
    /// Whether an operand is a running statistic of a batch norm.
    static bool isRunning(::mlir::OpOperand &operand);
  }];
}

def Graph_SoftmaxOp : Graph_ComputeOp<"softmax", [LoopInterface, AdjointInterface, Decomposition]> {
  let summary = "softmax(scale * input + mask) over the last dimension, optionally causal";
  let description = [{
    `causal`: column j of row i (the last two dimensions) counts only if j <= i; the others get 0. `window`: it
    counts only if i - j < window. `mask` has the input's rank; a dimension of extent 1 stands for all indices.
    `lse` is the row's log-sum-exp, in f32.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, Optional<AnyStaticShapeTensor>:$mask,
                       DefaultValuedAttr<F64Attr, "1.0">:$scale, UnitAttr:$causal, OptionalAttr<I64Attr>:$window);
  let results = (outs AnyStaticShapeTensor:$result, AnyStaticShapeTensor:$lse);
  let assemblyFormat = [{
    $input (`mask` `(` $mask^ `:` type($mask) `)`)? (`causal` $causal^)? (`window` `(` $window^ `)`)? attr-dict
    `:` type($input) `->` type($result) `,` type($lse)
  }];
  let hasVerifier = 1;
}

def Graph_AttentionOp : Graph_ComputeOp<"attention", [AttrSizedOperandSegments, LoopInterface, AdjointInterface, CompositeDecomposition]> {
  let summary = "attention of queries to keys and values, packed in one tensor or apart";
  let description = [{
    `inputs` is either one tensor of (batch*sequence) x (3*heads*size), in which columns are q, then k, then v, each
    heads x size, as GPT-2 packs them; or q of (batch*queries) x (heads*size), and k and v of (batch*keys) x
    (kv_heads*size): each key head serves heads / kv_heads neighbouring query heads.
    `result` looks like q. Scores are scaled by `scale`, 1/sqrt(size) if it is not given. `causal`, `window` and
    `mask` are softmax's; `mask` is batch x heads x queries x keys, each extent may be 1. `lse` is batch x heads x
    queries in f32: all the backward pass keeps besides inputs and result.
    `dropout` is the share of the probabilities that is dropped, where `random` is there: the keys of streams, of
    which it takes number `site`, and the block of the batch (`GraphDropout.h`). Without, nothing is dropped.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs, Optional<AnyStaticShapeTensor>:$mask,
                       Variadic<AnyStaticShapeTensor>:$random, I64Attr:$batch, I64Attr:$heads,
                       OptionalAttr<I64Attr>:$kv_heads, UnitAttr:$causal, OptionalAttr<I64Attr>:$window,
                       OptionalAttr<F64Attr>:$scale, OptionalAttr<F64Attr>:$dropout,
                       DefaultValuedAttr<I64Attr, "0">:$site);
  let results = (outs AnyStaticShapeTensor:$result, AnyStaticShapeTensor:$lse);
  let assemblyFormat = [{
    $inputs (`mask` `(` $mask^ `:` type($mask) `)`)? `batch` `(` $batch `)` `heads` `(` $heads `)`
    (`kv_heads` `(` $kv_heads^ `)`)? (`causal` $causal^)? (`window` `(` $window^ `)`)? (`scale` `(` $scale^ `)`)?
    (`dropout` `(` $dropout^ `)`)? (`random` `(` $random^ `:` type($random) `)`)?
    attr-dict `:` type($inputs) `->` type($result) `,` type($lse)
  }];
  let hasVerifier = 1;
}

def Graph_AttentionGradOp : Graph_ComputeOp<"attention_grad", [AttrSizedOperandSegments, CompositeDecomposition]> {
  let summary = "gradients of attention's inputs; recomputes the probabilities from lse";
  let arguments = (ins AnyStaticShapeTensor:$gradient, AnyStaticShapeTensor:$output, AnyStaticShapeTensor:$lse,
                       Variadic<AnyStaticShapeTensor>:$inputs, Optional<AnyStaticShapeTensor>:$mask,
                       Variadic<AnyStaticShapeTensor>:$random, I64Attr:$batch, I64Attr:$heads,
                       OptionalAttr<I64Attr>:$kv_heads, UnitAttr:$causal, OptionalAttr<I64Attr>:$window,
                       OptionalAttr<F64Attr>:$scale, OptionalAttr<F64Attr>:$dropout,
                       DefaultValuedAttr<I64Attr, "0">:$site);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $gradient `,` $output `,` $lse `of` $inputs (`mask` `(` $mask^ `:` type($mask) `)`)? `batch` `(` $batch `)`
    `heads` `(` $heads `)` (`kv_heads` `(` $kv_heads^ `)`)? (`causal` $causal^)? (`window` `(` $window^ `)`)?
    (`scale` `(` $scale^ `)`)? (`dropout` `(` $dropout^ `)`)? (`random` `(` $random^ `:` type($random) `)`)? attr-dict
    `:` type($gradient) `,` type($output) `,` type($lse) `of` type($inputs) `->` type($results)
  }];
  let hasVerifier = 1;
}

def Graph_DropoutOp : Graph_ComputeOp<"dropout", [SameOperandsAndResultType]> {
  let summary = "in training sets a share of its input to 0 and scales the rest; elsewhere changes nothing";
  let description = [{
    What a model says of dropout, as import writes it. `materialize-dropout` turns it into a map of `graph.random`
    in the train step, and into nothing in the others; so the op itself is the identity.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, F64Attr:$rate);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input `rate` `(` $rate `)` attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Graph_CrossEntropyOp : Graph_ComputeOp<"cross_entropy", [LoopInterface, AdjointInterface, Decomposition]> {
  let summary = "per row: log-sum-exp of the logits minus the label's logit; 0 where the label is ignored";
  let description = [{
    With `smoothing` s, (1 - s) of the label's logit and s of the mean of all logits take the place of the
    label's logit.
  }];
  let arguments = (ins AnyStaticShapeTensor:$logits, AnyStaticShapeTensor:$labels, DefaultValuedAttr<I64Attr, "-100">:$ignore_index,
                       DefaultValuedAttr<F64Attr, "0.0">:$smoothing);
  let results = (outs AnyStaticShapeTensor:$losses, AnyStaticShapeTensor:$lse);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` type($logits) `,` type($labels) `->` type($losses) `,` type($lse)";
  let hasVerifier = 1;
}

def Graph_CrossEntropyGradOp : Graph_ComputeOp<"cross_entropy_grad", [LoopInterface, Decomposition]> {
  let summary = "gradient of the logits: (softmax - smoothed onehot(label)) * gradient of the row's loss";
  let arguments = (ins AnyStaticShapeTensor:$gradient, AnyStaticShapeTensor:$logits, AnyStaticShapeTensor:$labels, AnyStaticShapeTensor:$lse,
                       DefaultValuedAttr<I64Attr, "-100">:$ignore_index, DefaultValuedAttr<F64Attr, "0.0">:$smoothing);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $gradient `,` $logits `,` $labels `,` $lse attr-dict
    `:` type($gradient) `,` type($logits) `,` type($labels) `,` type($lse) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Graph_GradNormOp : Graph_ComputeOp<"grad_norm"> {
  let summary = "Euclidean norm of all gradients together";
  let description = [{
    The partition pass turns it into one f64 slot per piece and a fixed-order sum, so that the
    norm does not depend on how states are partitioned, bucketed or placed.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$gradients);
  let results = (outs AnyStaticShapeTensor:$norm);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients) `->` type($norm)";
  let hasVerifier = 1;
}

#endif
