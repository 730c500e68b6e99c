// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - the passes of the graph level ----------------*- tablegen -*-===//
//
// Every description has four parts: what holds before, what holds after, what the pass does
// not do, and an example, which is a test of test/passes/Graph/<pass>.mlir.

#ifndef WINDLASS_PASSES_GRAPH
#define WINDLASS_PASSES_GRAPH

include "mlir/Pass/PassBase.td"

def Precision : Pass<"precision", "::mlir::ModuleOp"> {
  let summary = "give every tensor the type it is computed and kept in";
  let description = [{
    Before: a module as import leaves it, in f32.

    After (`compute=bf16`, `compute=f16`): every f32 parameter is a bf16 (f16) state beside an f32 `master` state,
    which has its initialiser, name, group and layer. Functions take and compute bf16 (f16) tensors; bodies of maps
    and reductions widen, compute in f32 and round once. Statistics, log-sum-exps, losses and the results of
    reductions stay f32, and so do feeds and reports. After `compute=f32` nothing has changed.

    Does not: write the parameter from its master; apply-optimizer does. Scale losses: the feed "loss_seed" does,
    and apply-optimizer undoes it.

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
  let summary = "give the train step its dropout, and take it from the others";
  let description = [{
    Before: `graph.dropout` and the `dropout` of attentions stand in `@evaluate`, `@sample` and layer functions,
    where they do nothing.

    After: where `@evaluate` had any, there is a `graph.step @train` that does what it does, with dropout: a
    `graph.dropout` is a map that draws its mask with `graph.random`, an attention takes what it draws with
    as operands. The streams are those of the feed "dropout_keys", numbered in program order, those of a layer
    where it is called. A layer function that drops anything has a copy `@f.train` which takes the keys of its
    own streams and the feed "row_block". Everywhere else dropout is gone.

    Does not: keep a mask; build a backward pass: that of a mask draws it again.

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
  let summary = "let batch norms of the train step normalise with the batch, and change their statistics";
  let description = [{
    Before: `graph.batch_norm` stands in `@evaluate`, in layer functions, and in `@train` where
    materialize-dropout made one; its running statistics are states of the group statistics.

    After: where there is any, `@train` does what `@evaluate` does, with batch norms in their training form; a
    layer function that has some is copied to `@f.train` for it, unless only `@train` calls it. Their share is what
    a batch has in the running statistics after the step: momentum * (1 - momentum)^later on the first rank, if
    `later` micro-batches follow, and 0 on the others. Which micro-batch and rank it is says the feed "row_block".
    Elsewhere batch norms normalise with the running statistics.

    Does not: change the statistics; what the adjoint says of them becomes their change in apply-optimizer.

    ```mlir
    %y, %m, %v = graph.batch_norm %x, %a, %b running(%rm, %rv) epsilon(1.0e-5) momentum(0.1) : ...
    // becomes, in @train
    %block = graph.feed "row_block" : tensor<i32>
    %share = graph.map ins(%block) ... -> tensor<f32>
    %y, %m, %v = graph.batch_norm %x, %a, %b running(%rm, %rv) epsilon(1.0e-5) momentum(0.1)
        training(%share : tensor<f32>) : ...
    ```
  }];
  let options = [Option<"ranks", "ranks", "int64_t", "1", "ranks that batches are dealt to">,
                 Option<"microBatches", "micro-batches", "int64_t", "1", "micro-batches of one step on a rank">];
}

def Differentiate : Pass<"differentiate", "::mlir::ModuleOp"> {
  let summary = "build the train step from the evaluate step";
  let description = [{
    Before: `graph.step @evaluate` reports "loss", a rank-0 f32 tensor, and so does `@train` where
    materialize-dropout made one; every op between a parameter and the loss has an adjoint; layer functions call
    no functions.

    After: `graph.step @train` runs `micro-batches` micro-batches of forward and backward pass, those of the
    `@train` there was or else of `@evaluate`, seeded by the feed "loss_seed". Every layer function `@f` has a
    `@f.fwd`, which also returns its residuals, and a `@f.bwd`, which takes arguments, results and residuals it
    reads and the gradients of the results (beside frozen parameters, calls that need the gradients of other
    arguments call a copy, `@f.way1`);
    the attributes on its arguments say which is which. Residuals are only what `@f.bwd` reads and the
    caller does not have; reshapes are repeated instead of kept, and with `repeat-core` what attention
    computes for each pair of tokens (`windlass.phase = #graph<phase recompute>`). The results of `graph.micro_batches` are the
    gradients, one per use of a parameter by the step (`gradient_of`); uses are added after
    it in program order, and reported as "gradient/<state>".

    A gradient of several uses inside the step or a function is added in the order in which the
    backward pass produces the parts: the last use first.

    Does not: change what `@evaluate`, `@sample` or `@f` compute; update states; differentiate integers or
    parameters of the group "frozen". Another that does not reach the loss gets a warning and no gradient.

    ```mlir
    %y = func.call @layer(%x, %w) {layer = "h.0"} : ...
    // becomes, in @train
    %y, %r = func.call @layer.fwd(%x, %w) {layer = "h.0"} : ...
    %dx, %dw = func.call @layer.bwd(%x, %w, %r, %dy) {layer = "h.0", windlass.phase = #graph<phase backward>} : ...
    ```
  }];
  let options = [Option<"microBatches", "micro-batches", "int64_t", "1", "micro-batches of one step">,
                 Option<"repeatCore", "repeat-core", "bool", "false",
                        "repeat scores, softmax and dropout for the backward pass (where attention is no one op)">];
}

def ReportOneRow : Pass<"report-one-row", "::mlir::ModuleOp"> {
  let summary = "compute the logits of the token that is sampled, where those of all are large";
  let description = [{
    Before: `@sample` as import or precision leave it reports the logits of all tokens of a sequence.

    After: where they take more than `limit` bytes it computes, and reports, the row of one token, the feed "position". The
    layers before them compute all tokens still.

    Does not: look through anything but maps, element by element, for the product that makes the logits; touch
    `@evaluate`, which sums losses of all tokens.

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
  let options = [Option<"limit", "limit", "int64_t", "268435456", "bytes that the logits of all tokens may have">];
}

def TileMatmuls : Pass<"tile-matmuls", "::mlir::ModuleOp"> {
  let summary = "turn oversized linear layers, tables and logits into sequences over tiles";
  let description = [{
    Before: steps and layer functions as import or precision leave them; nothing is differentiated.

    After: a parameter of more than `limit` bytes that is the second operand of products of two matrices, or a
    table rows are looked up in, or both (tied embeddings), is `NAME.tile0`, `NAME.tile1`, ...: as few parts as
    the limit allows, of one width but for the last. Where a product makes a matrix, maps change it and another
    product or a cross-entropy sums its columns, the matrix is cut along those columns, and with it the
    parameters on both sides and the biases between them: all ops run with one tile, then with the next, and
    what they sum up is added tile by tile in f32. So are matrices of more than `activation` bytes; those and
    logits are computed again for the backward pass, one tile at a time (`windlass.repeat`). Other parameters
    are cut along their output, the products side by side (`windlass.tile`). A look-up adds up the rows that
    each tile has. Maps and losses behind products of more dimensions work on the rows of their matrix first. A
    sample step whose logits would be cut computes those of one token, the feed "position". Functions take tiles
    as arguments; gradients follow, since they are built from what is here. Of what ranks share out (`graph.split`)
    each cuts its part.

    Does not: tile batched products, cross-entropies with smoothed labels, a matrix that anything else reads, a
    parameter that such ranks have whole or one that a tile would part otherwise than they do (queries, keys and
    values in one matrix); keep the bits of sums over tiles. A tile names the tensor it is a `slice` of, so that first values and
    checkpoints are those of the whole.

    ```mlir
    %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x6xf32> -> tensor<2x6xf32>
    // becomes
    %y0 = graph.matmul %x, %w0 : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
    %y1 = graph.matmul %x, %w1 : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
    %y = graph.stack axis 1 ins(%y0, %y1 : ...) ... -> tensor<2x6xf32>
    ```
  }];
  let options = [Option<"limit", "limit", "int64_t", "0", "bytes of a tile of a parameter at most; 0: any">,
                 Option<"activation", "activation", "int64_t", "0",
                        "bytes of a tile of a matrix between parameters, or of logits, at most; 0: any">];
}

def Recompute : Pass<"recompute", "::mlir::ModuleOp"> {
  let summary = "repeat the forward pass of layers instead of keeping their residuals";
  let description = [{
    Before: differentiate has run.

    After (`mode=full`): calls of `@f.fwd` in `@train` became calls of `@f`; the backward call became one of
    `@f.recompute_bwd`, which takes the layer's input and repeats what of `@f.fwd` the adjoint
    reads (`windlass.phase = #graph<phase recompute>`). With `every=c` only the inputs of each c-th layer of a chain are
    kept: the c-1 layers behind it are first repeated by calls of `@f.fwd` in phase recompute. With `layers=n`
    only the first n layers are repeated: their residuals would have waited longest. Functions that nobody calls
    any more are gone. After `mode=none` nothing has changed.

    After `mode=kept`: of the functions named in `keep`, only the activations named there are kept, beside the
    layer's input. `@f.recompute_fwd` returns them, `@f.recompute_bwd` takes them. An activation is named by its
    operation and how many of its kind stand before it in `@f`: `matmul.0`; a later result of it as `attention.0#1`.
    `f:` keeps nothing. Functions that are not named keep every residual.

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
                 Option<"layers", "layers", "int64_t", "0", "layers that are repeated, from the first on; 0: all">,
                 ListOption<"keep", "keep", "::windlass::Named<std::string>", "mode kept: FUNCTION:ACTIVATION, what is kept">];
}

def ApplyOptimizer : Pass<"apply-optimizer", "::mlir::ModuleOp"> {
  let summary = "turn reported gradients into AdamW updates";
  let description = [{
    Before: `@train` reports the gradient of every trained parameter as "gradient/<state>".

    After: every such report is an update: a momentum and a variance state, reads, one map exactly as
    torch.optim.AdamW computes in f32, writes. Weight decay applies to the group "decay" only.
    "grad_norm" is reported; with `clip` > 0 every gradient is scaled as torch.nn.utils.clip_grad_norm_ does.
    "learning_rate", "bias_correction1" and "bias_correction2" (1 - beta^t) are feeds. Where the
    parameter has a master, the master is updated and the parameter is its rounding. To a running statistic what stands in
    place of its gradient is added; it counts in no norm.

    With `scaled` the gradients are those of the loss times a scale, which "loss_seed" brings in: norm and gradients
    are multiplied by the feed "inverse_loss_scale" before anything else. Where the norm is no finite number, some
    gradient overflowed: then every state, running statistics too, is written as it was read (`arith.select`).

    Does not: choose where anything rests or runs; use anything but + - * / sqrt, one minimum and, with `scaled`,
    a comparison and selects; choose the scale.

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
                        "decoupled weight decay of the group decay; a group decay=X has X">,
                 Option<"clip", "clip", "double", "0.0", "largest norm of the gradients; 0: none">,
                 Option<"scaled", "scaled", "bool", "false", "gradients are those of a scaled loss">];
}

def BlockAttention : Pass<"block-attention", "::mlir::ModuleOp"> {
  let summary = "compute attention with many scores by blocks of them";
  let description = [{
    Before: attention and its gradient are single ops.

    After: each whose scores take more than `limit` bytes (in f32: 4 x batch x heads x queries x keys) is a sequence
    over blocks of at most `limit`: some queries by some keys, as few blocks as possible, of multiples of 16 tokens (of 4,
    where 16 by 16 are too many).
    Forward, each block is an attention of its own, with a result and a log-sum-exp; the next one is merged with
    it, weighted by exp(lse). Backward, each block repeats its scores and adds to the three gradients. No tensor
    of all pairs of tokens is left. Blocks that no query sees (`causal`, `window`) are left out, masks are cut, a
    block drops the probabilities that the whole attention drops.

    Does not: cut batch or heads; shrink a mask that a model brings; touch attention that a model spells out; keep
    the last bits: sums over keys and, backward, over queries are made block by block.

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
  let options = [Option<"limit", "limit", "int64_t", "0", "bytes of a block of scores at most; 0: nothing is blocked">];
}

def DecomposeComposites : Pass<"decompose-composites", "::mlir::ModuleOp"> {
  let summary = "replace ops that are more than one kernel by what they mean";
  let description = [{
    Before: composites stand where import and differentiate put them.

    After: no op is left that has a decomposition and is not one kernel (attention and its
    gradient); what replaced it carries its phase.

    Does not: touch ops that are one kernel (layer_norm, softmax, cross_entropy), nor those that a library of the
    target runs whole.

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
  let summary = "splice the bodies of maps that follow one another";
  let description = [{
    Before: maps as import, adjoints and decompositions wrote them.

    After: a map whose results only one map or reduction reads stands in that op's body, at the loops it reads
    it. A map that others read too is joined with a map of equal loops into one map of
    several results, if no reader stands between them.

    Does not: change a bit (casts stay, nothing is reassociated); move a sum of a sequence
    (`windlass.accumulates`); repeat work that is more than a few
    additions, products, comparisons or casts per element; pull forward ops into the
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
  let summary = "what the graph level promises to the dist level";
  let description = [{
    Before: the pipeline has run.

    After: shapes are static; no composite without a kernel is left; layer functions are private, pure and
    call nothing; only steps read, write, feed and report, and outside of `micro_batches` `@train` holds only
    feeds, reads, elementwise maps over parameter-shaped or rank-0 tensors, grad_norm, writes and reports;
    every state is written at most once and with its own type; every result of `micro_batches` names its
    parameter; phases are known words. Each violation is an error that names the op and the rule.

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
