// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphCoarseOps.td - where a library kernel or one row kernel exists *- tablegen -*-===//

#ifndef WINDLASS_GRAPH_COARSE_OPS
#define WINDLASS_GRAPH_COARSE_OPS

include "dialects/Graph/IR/GraphOpBase.td"

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

def Graph_SoftmaxOp : Graph_ComputeOp<"softmax", [AttrSizedOperandSegments, LoopInterface, AdjointInterface, Decomposition]> {
  let summary = "softmax(scale * input + mask) over the last dimension, optionally causal";
  let description = [{
    `causal`: column j of row i (the last two dimensions) counts only if j <= i; the others get 0. `window`: it
    counts only if i - j < window. `mask` has the input's rank; a dimension of extent 1 stands for all indices.
    `base` is taken off what the mask was added to: a number per row, of the input's rank less one, its extents the
    input's or 1. It moves no probability. `lse` is the log-sum-exp of what the row then holds, in f32.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, Optional<AnyStaticShapeTensor>:$mask, Optional<AnyStaticShapeTensor>:$base,
                       DefaultValuedAttr<F64Attr, "1.0">:$scale, UnitAttr:$causal, OptionalAttr<I64Attr>:$window);
  let results = (outs AnyStaticShapeTensor:$result, AnyStaticShapeTensor:$lse);
  let assemblyFormat = [{
    $input (`mask` `(` $mask^ `:` type($mask) `)`)? (`base` `(` $base^ `:` type($base) `)`)? (`causal` $causal^)?
    (`window` `(` $window^ `)`)? attr-dict `:` type($input) `->` type($result) `,` type($lse)
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
    queries in f32: all the backward pass keeps besides inputs and result. It is the log-sum-exp of the scores less
    the largest number of the mask among the keys that the query sees (0 where that is an infinity): where -1e9 hides
    them all, a log-sum-exp of the scores themselves would have lost the logarithm.
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
  let description = [{
    A result for each of the `inputs`, and one more of the mask's type where its gradient is asked for: that of the
    scores, summed over the dimensions along which the mask is repeated.
  }];
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
  let extraClassDeclaration = "bool hasMaskGradient() { return getNumResults() > getInputs().size(); }";
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
