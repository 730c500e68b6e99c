// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphCoarseOps.td - where a library kernel or one row kernel exists *- tablegen -*-===//

#ifndef WINDLASS_GRAPH_COARSE_OPS
#define WINDLASS_GRAPH_COARSE_OPS

include "dialects/Graph/IR/GraphOpBase.td"

def Graph_MatmulOp : Graph_ComputeOp<"matmul", [AccumulatingOpInterface, LoopInterface, AdjointInterface]> {
  let summary = "matrix product over equal leading batch dimensions, accumulated in f32";
  let description = [{
    Loops: batch..., m, n (parallel), k (reduction). `transpose_a` means that A is stored as k x m. The two
    gradients are matmuls, too. `onto` is added to the product.
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
    With `first` the table is a part of a longer table and begins at this row of it. Rows outside of the table, or of
    the part, are 0: the sum over all parts is the look-up in the whole table. `onto` is added to the rows that are
    looked up.
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
    The outermost loop is d, so that ranges of it may run anywhere with equal bits. With `first` the result is the
    part of a longer table that begins at this row. Rows outside of the table, or of the part, are left out.
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
    `mean` and `variance` are the running statistics, with one element per channel. `materialize-batch-norm` gives
    the op its training form in the train step. In this form the op has a `share`, one f32, and normalises with the
    mean and the variance of the batch. For the running statistics its adjoint gives not a gradient but the change
    by this batch: `share` times the difference between the statistics of the batch and the running statistics. With
    `unbiased` the variance of the batch is then divided by the number of elements less one, as in PyTorch.
    `momentum` is the share of a single batch. Without `share` the op normalises with the running statistics and has
    no adjoint. `used_mean` and `used_variance` are the statistics with which it normalised.
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
    `causal`: column j of row i (the last two dimensions) counts only if j <= i; other columns get 0. `window`: a
    column counts only if i - j < window. `mask` has the rank of the input; a dimension of extent 1 stands for all
    indices. -inf in it hides a column. If all columns of a row are hidden, the row is 0, and its `lse` is inf, so that
    exp(score - lse) is 0 as well. `base` is subtracted from the sum of scaled input and mask. It has one number per row: its rank is the
    rank of the input less one, and each extent is that of the input or 1. It changes no probability. `lse` is the
    log-sum-exp of the row after this subtraction, in f32.
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
    `inputs` is one tensor or three tensors:

    - one tensor of (batch*sequence) x (3*heads*size), in which columns are q, then k, then v, each heads x size, as
      GPT-2 packs them
    - q of (batch*queries) x (heads*size), and k and v of (batch*keys) x (kv_heads*size): each key head serves heads
      / kv_heads neighbouring query heads

    `result` has the layout of q. Scores are scaled by `scale`; the default is 1/sqrt(size). `causal`, `window` and
    `mask` are those of softmax; `mask` is batch x heads x queries x keys, and each extent may be 1. The result of a
    query from which all keys are hidden is 0, without gradients.

    `lse` is batch x heads x queries in f32. It is the only value that the backward pass keeps besides inputs and
    result. It is the log-sum-exp of the scores minus the largest number of the mask among the keys that the query
    sees (minus 0 where that number is an infinity). The mask is subtracted because a mask of -1e9 at all keys would
    otherwise round the logarithm away.

    `dropout` is the share of the probabilities that is dropped, if there is `random`: the keys of random streams,
    of which the op takes number `site`, and the block of the batch (`GraphDropout.h`). Without `random`, nothing is
    dropped.
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
    There is one result for each of the `inputs`. Where the gradient of the mask is needed, there is one more
    result, of the type of the mask: the gradient of the scores, summed over the dimensions along which the mask is
    repeated.
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
  let summary = "sets a share of its input to 0 and scales the rest in training; elsewhere it changes nothing";
  let description = [{
    Import writes this op where a model has dropout. `materialize-dropout` turns it into a map of `graph.random` in
    the train step and removes it from the other steps. The op itself is the identity.
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, F64Attr:$rate);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input `rate` `(` $rate `)` attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Graph_CrossEntropyOp : Graph_ComputeOp<"cross_entropy", [LoopInterface, AdjointInterface, Decomposition]> {
  let summary = "per row: log-sum-exp of the logits minus the label's logit; 0 where the label is ignored";
  let description = [{
    With `smoothing` s, the logit of the label is replaced by (1 - s) times this logit plus s times the mean of all
    logits.
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
    The partition pass turns this op into one f64 slot per piece and a sum in a fixed order, so that the norm does
    not depend on how states are partitioned, put into buckets or placed.
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$gradients);
  let results = (outs AnyStaticShapeTensor:$norm);
  let assemblyFormat = "$gradients attr-dict `:` type($gradients) `->` type($norm)";
  let hasVerifier = 1;
}

#endif
