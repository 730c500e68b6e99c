// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - the passes of the graph level ----------------*- tablegen -*-===//
//
// Every description has four parts: what holds before, what holds after, what the pass does
// not do, and an example, which is a test of test/passes/Graph/<pass>.mlir.

#ifndef WINDLASS_PASSES_GRAPH
#define WINDLASS_PASSES_GRAPH

include "mlir/Pass/PassBase.td"

def Precision : Pass<"precision", "::mlir::ModuleOp"> {
  let summary = "give every tensor the type in which it is computed and kept";
  let description = [{
    Before: a module as import leaves it, in f32.

    After (`compute=bf16`, `compute=f16`): every f32 parameter is a bf16 (f16) state, and an f32 `master` state beside
    it has its initialiser, name, group and layer. Functions take and compute bf16 (f16) tensors. Bodies of maps and
    reductions widen their operands, compute in f32 and round once. Statistics, log-sum-exps, losses, results of
    reductions, feeds and reports stay f32. After `compute=f32` nothing has changed.

    Does not: write the parameter from its master (apply-optimizer does); scale losses (the feed "loss_seed" does, and
    apply-optimizer undoes it).

    ```mlir
    graph.state @w : tensor<8x8xf32> role(parameter) ...
    // becomes
    graph.state @w : tensor<8x8xbf16> role(parameter) ...
    graph.state @w.master : tensor<8x8xf32> role(master) ... of @w
    ```
  }];
  let options = [Option<"compute", "compute", "std::string", "\"f32\"",
                        "element type of computation: f32 | bf16 | f16">];
}

def MaterializeDropout : Pass<"materialize-dropout", "::mlir::ModuleOp"> {
  let summary = "give dropout to the train step, and remove it from the other steps";
  let description = [{
    Before: `graph.dropout` and the `dropout` of attentions are in `@evaluate`, `@sample` and layer functions, where
    they have no effect.

    After: where `@evaluate` had any dropout, there is a `graph.step @train` that computes the same with dropout. A
    `graph.dropout` is a map that draws its mask with `graph.random`; an attention takes the keys of its random
    numbers as operands. Streams of random numbers come from the feed "dropout_keys". They are numbered in program
    order; the streams of a layer function are numbered where it is called. A layer function with dropout has a copy
    `@f.train`, which takes the keys of its own streams and the feed "row_block". Everywhere else dropout is gone.
    Where nothing reads what a function drops, it has no copy.

    Does not: keep a mask; build a backward pass. The backward pass of a mask draws the mask again.

    ```mlir
    %y = graph.dropout %x rate(0.1) : tensor<4x8xf32>
    // becomes, in @train
    %y = graph.map ins(%x, %keys, %keys, %block : ...) ... {
      %u = graph.random %key0, %key1 [%row, %column] : f32
      ...
    ```
  }];
}

def MaterializeBatchNorm : Pass<"materialize-batch-norm", "::mlir::ModuleOp"> {
  let summary = "let batch norms of the train step normalise with the batch and update the running statistics";
  let description = [{
    Before: `graph.batch_norm` is in `@evaluate`, in layer functions, and in `@train` where materialize-dropout made
    one. Its running statistics are states of the group statistics.

    After: where there is any batch norm, `@train` computes what `@evaluate` does, with batch norms in their training
    form. A layer function with a batch norm is copied to `@f.train` for this, unless only `@train` calls it. The
    operand `share` of a batch norm is the weight of this batch in the running statistics after the step: momentum *
    (1 - momentum)^later on the first rank, if `later` micro-batches follow, and 0 on the other ranks. The feed
    "row_block" says which micro-batch and rank it is. Elsewhere batch norms normalise with the running statistics.

    Does not: change the statistics. Their adjoint gives a change, which apply-optimizer adds.

    ```mlir
    %y, %m, %v = graph.batch_norm %x, %a, %b running(%rm, %rv) epsilon(1.0e-5) momentum(0.1) : ...
    // becomes, in @train
    %block = graph.feed "row_block" : tensor<i32>
    %share = graph.map ins(%block) ... -> tensor<f32>
    %y, %m, %v = graph.batch_norm %x, %a, %b running(%rm, %rv) epsilon(1.0e-5) momentum(0.1)
        training(%share : tensor<f32>) : ...
    ```
  }];
  let options = [Option<"ranks", "ranks", "int64_t", "1", "ranks over which batches are distributed">,
                 Option<"microBatches", "micro-batches", "int64_t", "1", "micro-batches of one step on a rank">];
}

def Differentiate : Pass<"differentiate", "::mlir::ModuleOp"> {
  let summary = "build the train step from the evaluate step";
  let description = [{
    Before: `graph.step @evaluate` reports "loss", a rank-0 f32 tensor, and so does `@train` where materialize-dropout
    made one. Every op between a parameter and the loss has an adjoint. Layer functions call no functions.

    After: `graph.step @train` runs the forward and backward pass of `micro-batches` micro-batches. It is made from
    the `@train` that was there, or else from `@evaluate`, and is seeded by the feed "loss_seed". Every layer function
    `@f` has a forward function `@f.fwd`, which also returns its residuals, and a backward function `@f.bwd`. `@f.bwd`
    takes the arguments, results and residuals that it reads, and the gradients of the results; attributes on its
    arguments say which is which. Where parameters are frozen, calls that need the gradients of other arguments call a
    copy, `@f.way1`.

    Residuals are only values that `@f.bwd` reads and the caller does not have. Reshapes are repeated instead of kept.
    With `repeat-core`, so is what attention computes for each pair of tokens
    (`windlass.phase = #graph<phase recompute>`). The results of `graph.micro_batches` are the gradients, one for each
    use of a parameter by the step (`gradient_of`). After it the uses are added in program order and reported as
    "gradient/<state>".

    If a value is used several times inside the step or a function, its gradient is added up in the order in which the
    backward pass produces the terms: the last use first.

    Does not: change what `@evaluate`, `@sample` or `@f` compute; update states; differentiate integers or parameters
    of the group "frozen". Any other parameter that does not reach the loss gets a warning and no gradient.

    ```mlir
    %y = func.call @layer(%x, %w) {layer = "h.0"} : ...
    // becomes, in @train
    %y, %r = func.call @layer.fwd(%x, %w) {layer = "h.0"} : ...
    %dx, %dw = func.call @layer.bwd(%x, %w, %r, %dy) {layer = "h.0", windlass.phase = #graph<phase backward>} : ...
    ```
  }];
  let options = [Option<"microBatches", "micro-batches", "int64_t", "1", "micro-batches of one step">,
                 Option<"repeatCore", "repeat-core", "bool", "false",
                        "repeat scores, softmax and dropout for the backward pass (where attention is not one op)">];
}

def ReportOneRow : Pass<"report-one-row", "::mlir::ModuleOp"> {
  let summary = "compute only the logits of the sampled token, where the logits of all tokens are large";
  let description = [{
    Before: `@sample`, as import or precision leave it, reports the logits of all tokens of a sequence.

    After: where these logits take more than `limit` bytes, `@sample` computes and reports only the row of one token,
    that of the feed "position". The layers before still compute all tokens.

    Does not: search through ops other than elementwise maps for the product that makes the logits; change
    `@evaluate`, which sums the losses of all tokens.

    ```mlir
    %z = graph.matmul %x, %w : tensor<1024x768xf32>, tensor<768x50257xf32> -> tensor<1024x50257xf32>
    graph.report "logits", %z : tensor<1024x50257xf32>
    // becomes
    %p = graph.feed "position" {bound = 1024 : i64} : tensor<1xi32>
    %r = graph.embedding %x, %p : tensor<1024x768xf32>, tensor<1xi32> -> tensor<1x768xf32>
    %z = graph.matmul %r, %w : tensor<1x768xf32>, tensor<768x50257xf32> -> tensor<1x50257xf32>
    graph.report "logits", %z : tensor<1x50257xf32>
    ```

    Example: test/passes/Graph/report-one-row.mlir.
  }];
  let options = [Option<"limit", "limit", "int64_t", "268435456", "most bytes that the logits of all tokens may take">];
}

def TileMatmuls : Pass<"tile-matmuls", "::mlir::ModuleOp"> {
  let summary = "turn large linear layers, tables and logits into sequences over tiles";
  let description = [{
    Before: steps and layer functions as import or precision leave them; nothing is differentiated.

    After: large parameters and matrices are cut into tiles. A parameter of more than `limit` bytes is cut if it is
    the second operand of products of two matrices, a table in which rows are looked up, or both (tied embeddings). It
    becomes `NAME.tile0`, `NAME.tile1`, ...: as few tiles as the limit allows, all of one width except perhaps the
    last.

    - Where a product makes a matrix, maps change it, and another product or a cross-entropy sums its columns, the
      matrix is cut along these columns. The parameters on both sides and the biases between them are cut with it. All
      ops run with one tile, then with the next, and their sums are added up tile by tile in f32.
    - Matrices of more than `activation` bytes are cut in the same way. These matrices and logits are computed again
      for the backward pass, one tile at a time (`windlass.repeat`).
    - Other parameters are cut along their output, and the products stand side by side (`windlass.tile`).
    - A look-up adds up the rows that each tile has.
    - Maps and losses after products of more dimensions are first changed to work on the rows of their matrix.
    - A sample step whose logits would be cut computes the logits of one token, the feed "position".
    - Functions take tiles as arguments. Gradients follow, since they are built from this IR.
    - Of a parameter that ranks share out (`graph.split`), each rank cuts its part.

    A tile names the tensor of which it is a `slice`, so that first values and checkpoints are those of the whole
    tensor.

    Does not: tile batched products, cross-entropies with smoothed labels, or a matrix that any other op reads; tile a
    parameter that ranks which share out operations have whole, or one that tiles would cut in another way than these
    ranks do (queries, keys and values in one matrix); keep the bits of sums over tiles.

    ```mlir
    %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
    // becomes
    %y0 = graph.matmul %x, %w0 : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
    %y1 = graph.matmul %x, %w1 : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
    %y = graph.stack axis 1 ins(%y0, %y1 : ...) ... -> tensor<2x6xf32>
    ```
  }];
  let options = [Option<"limit", "limit", "int64_t", "0", "most bytes of a tile of a parameter; 0: no limit">,
                 Option<"activation", "activation", "int64_t", "0",
                        "most bytes of a tile of a matrix between parameters, or of logits; 0: no limit">];
}

def Recompute : Pass<"recompute", "::mlir::ModuleOp"> {
  let summary = "repeat the forward pass of layers instead of keeping their residuals";
  let description = [{
    Before: differentiate has run.

    After (`mode=full`): calls of `@f.fwd` in `@train` are calls of `@f`. The backward call is a call of
    `@f.recompute_bwd`, which takes the input of the layer and repeats the ops of `@f.fwd` whose results the adjoint
    reads (`windlass.phase = #graph<phase recompute>`). With `every=c` only the input of each c-th layer of a chain is
    kept; the c-1 layers after it are first repeated by calls of `@f.fwd` in phase recompute. With `layers=n` only the
    first n layers are repeated, because their residuals would have waited longest. Functions that are not called any
    more are gone. After `mode=none` nothing has changed.

    After `mode=kept`: functions named in `keep` keep only the activations that are named there and the input of the
    layer. `@f.recompute_fwd` returns the activations, `@f.recompute_bwd` takes them. The name of an activation is the
    name of its op and the number of ops of that kind before it in `@f`: `matmul.0`. A later result of the op has its
    number behind that: `attention.0#1`. `f:` keeps no activation. Functions that are not named keep every residual.

    Does not: recompute ops of the step itself; change numbers.

    ```mlir
    %y, %r = func.call @layer.fwd(%x, %w) : ...
    %dx, %dw = func.call @layer.bwd(%w, %r, %dy) : ...
    // becomes
    %y = func.call @layer(%x, %w) : ...
    %dx, %dw = func.call @layer.recompute_bwd(%x, %w, %dy) : ...
    ```
  }];
  let options = [Option<"mode", "mode", "std::string", "\"none\"", "none | full | kept">,
                 Option<"every", "every", "int64_t", "1", "layers between two kept inputs">,
                 Option<"layers", "layers", "int64_t", "0",
                        "number of layers that are repeated, from the first on; 0: all">,
                 ListOption<"keep", "keep", "::windlass::Named<std::string>",
                            "in mode kept: an activation that is kept, as FUNCTION:ACTIVATION">];
}

def ApplyOptimizer : Pass<"apply-optimizer", "::mlir::ModuleOp"> {
  let summary = "turn reported gradients into AdamW updates";
  let description = [{
    Before: `@train` reports the gradient of every trained parameter as "gradient/<state>".

    After: every such report is an update: a momentum and a variance state, reads, one map that computes exactly as
    torch.optim.AdamW in f32, and writes. Weight decay applies to the group "decay" only. "grad_norm" is reported;
    with `clip` > 0 every gradient is scaled as torch.nn.utils.clip_grad_norm_ does. "learning_rate",
    "bias_correction1" and "bias_correction2" (1 - beta^t) are feeds. Where the parameter has a master, the master is
    updated, and the parameter is the rounded master. A running statistic is updated by adding what is reported as its
    gradient; this does not count in the norm.

    With `scaled` the gradients are those of the loss times a scale, which the feed "loss_seed" brings in. The norm
    and the gradients are multiplied by the feed "inverse_loss_scale" before anything else. If the norm is not finite,
    some gradient overflowed: every state, running statistics too, is then written as it was read (`arith.select`).

    Does not: choose where anything is stored or runs; use other operations than + - * / sqrt, one minimum and, with
    `scaled`, a comparison and selects; choose the scale.

    ```mlir
    graph.report "gradient/w", %g gradient of @w
    // becomes
    %p, %m, %v = graph.map ins(%w, %momentum, %variance, %g, %factor, %lr, %c1, %c2 : ...) ...
    graph.write %p, @w
    ```
  }];
  let options = [Option<"beta1", "beta1", "double", "0.9", "decay of the momentum">,
                 Option<"beta2", "beta2", "double", "0.999", "decay of the variance">,
                 Option<"epsilon", "epsilon", "double", "1e-8", "added to the denominator">,
                 Option<"weightDecay", "weight-decay", "double", "0.01",
                        "decoupled weight decay of the group decay; a parameter with a decay of its own has that">,
                 Option<"clip", "clip", "double", "0.0", "largest norm of the gradients; 0: none">,
                 Option<"scaled", "scaled", "bool", "false", "gradients are those of a scaled loss">];
}

def BlockAttention : Pass<"block-attention", "::mlir::ModuleOp"> {
  let summary = "compute attention with many scores in blocks";
  let description = [{
    Before: attention and its gradient are single ops.

    After: an attention or gradient whose scores take more than `limit` bytes (in f32: 4 x batch x heads x queries x
    keys) is a sequence over blocks of at most `limit` bytes. A block is some queries by some keys. There are as few
    blocks as possible, of multiples of 16 tokens (of 4 tokens, where 16 by 16 are too many). In the forward pass each
    block is an attention of its own with a result and a log-sum-exp; the next block is merged with it, weighted by
    exp(lse). In the backward pass each block repeats its scores and adds to the three gradients. No tensor of all
    pairs of tokens is left. Blocks that no query sees (`causal`, `window`) are left out, and masks are cut. A block
    drops the same probabilities as the whole attention. A query that sees no key of any block gets 0, as without
    blocks.

    Does not: cut batch or heads; make the mask of a model smaller; change attention that a model spells out in single
    ops; keep the last bits, because sums over keys and, in the backward pass, over queries are made block by block.

    ```mlir
    %y, %lse = graph.attention %q, %k, %v batch(1) heads(1) : ...
    // becomes, for two blocks of keys
    %s0 = graph.matmul %q0, %k0 transposed : ...
    %p0, %l0 = graph.softmax %s0 : ...
    %y0 = graph.matmul %p0, %v0 : ...
    ... // the same for %k1, %v1
    %l, %w0, %w1 = graph.map ins(%l0, %l1 : ...) ...
    %y = graph.map ins(%y0, %y1, %w0, %w1 : ...) ... {windlass.accumulates}
    ```
  }];
  let options = [Option<"limit", "limit", "int64_t", "0", "most bytes of a block of scores; 0: nothing is blocked">];
}

def DecomposeComposites : Pass<"decompose-composites", "::mlir::ModuleOp"> {
  let summary = "replace ops that need more than one kernel by their decomposition";
  let description = [{
    Before: composite ops are where import and differentiate put them.

    After: no op is left that has a decomposition and is not one kernel (attention and its gradient). The ops that
    replace it have its phase.

    Does not: change ops that are one kernel (layer_norm, softmax, cross_entropy), or ops that a library of the target
    runs whole.

    ```mlir
    %y, %lse = graph.attention %qkv batch(2) heads(4) causal : ...
    // becomes reshapes, matmuls, graph.softmax and maps
    ```
  }];
  let options = [
    ListOption<"whole", "whole", "std::string", "ops that the target's library runs whole">,
  ];
}

def FuseMaps : Pass<"fuse-maps", "::mlir::ModuleOp"> {
  let summary = "merge the bodies of maps that follow one another";
  let description = [{
    Before: maps as import, adjoints and decompositions wrote them.

    After: a map whose results are read by only one map or reduction is part of the body of that op, at the loops at
    which the op reads it. A map with several readers is joined with a map of equal loops into one map with several
    results, if no reader stands between them.

    Does not: change a bit (casts stay, nothing is reassociated); move a sum of a sequence (`windlass.accumulates`);
    repeat work of more than a few additions, products, comparisons or casts per element; pull forward ops into the
    backward pass of a step; fuse across reshapes, matmuls or reductions.

    ```mlir
    %a = graph.map ins(%x) { square }
    %b = graph.map ins(%a, %c) { add }
    // becomes
    %b = graph.map ins(%x, %c) { square, add }
    ```
  }];
}

def VerifyGraph : Pass<"verify-graph", "::mlir::ModuleOp"> {
  let summary = "check what the graph level promises to the dist level";
  let description = [{
    Before: the pipeline has run.

    After: the following holds. Each violation is an error that names the op and the rule.

    - Shapes are static, and no composite without a kernel is left.
    - Layer functions are private, pure and call nothing.
    - Only steps read, write, feed and report. Outside of `micro_batches`, `@train` holds only feeds, reads,
      elementwise maps over parameter-shaped or rank-0 tensors, grad_norm, writes and reports.
    - Every state is written at most once and with its own type. Every result of `micro_batches` names its parameter.
    - Phases are known words.

    Does not: change anything.

    ```mlir
    graph.write %a, @w   // error if @w is written twice
    ```
  }];
  let options = [
    ListOption<"whole", "whole", "std::string", "ops that the target's library runs whole">,
  ];
}

#endif
