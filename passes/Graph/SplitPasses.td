// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitPasses.td - graph passes of ranks that share out operations -*- tablegen -*-===//
//
// Apart from Passes.td, so that who knows one rank of a replica need not be compiled again for these.

#ifndef WINDLASS_PASSES_GRAPH_SPLITS
#define WINDLASS_PASSES_GRAPH_SPLITS

include "mlir/Pass/PassBase.td"

def Parallelise : Pass<"parallelise", "::mlir::ModuleOp"> {
  let summary = "share out the operations of a replica over tensor-parallel ranks";
  let description = [{
    Before: a module as import or `precision` leaves it, on whole tensors.

    After (`ranks=t`): the module says what one of t ranks computes. Tensors have the sizes of the part of that rank,
    and exchanges (`graph.vary`, `all_reduce`, `all_gather`, `own_part`) stand where ranks meet. For each layer
    function and step, `planning/Split` chooses which op is shared out along which loop, from the model and t alone.
    Values that enter and leave a layer are whole, and so is every gradient of a parameter that is not split. A state
    of which a rank has a part says so (`graph.split`). The module says how many ranks there are and, in words, what
    they share out. Tables of embeddings and logits are cut by rows of the vocabulary; where t does not divide it, the
    part of the last rank is padded. Convolutions, whose parameter is the left operand, are also cut by output
    channels. Batch norms of these channels, with their running statistics, then belong to each rank alone. With
    `ranks=1` nothing has changed.

    Does not: start a split at an op other than a matmul, attention, embedding or cross-entropy, or split a
    `graph.dropout` (such ops stay whole on every rank); know a machine.

    Example: test/passes/Graph/parallelise.mlir.
  }];
  let options = [Option<"ranks", "ranks", "int64_t", "1", "ranks that share out the operations of a replica">];
}

def SplitRows : Pass<"split-rows", "::mlir::ModuleOp"> {
  let summary = "let each rank compute only its own rows of values that all ranks have whole";
  let description = [{
    Before: a module as `parallelise` leaves it.

    After: sequence parallelism. Each rank receives its rows of a sum of terms (`graph.reduce_scatter` in place of
    `graph.all_reduce`). Ops that compute each row by itself (norms, biases, dropout, residuals) then run on these
    rows alone, also across layers. Where all rows are needed they are gathered. For products that ranks share out,
    they are gathered again in the backward pass (`windlass.repeat`), so that a rank keeps only its rows. With
    `keep-inputs` they are gathered once, and a rank keeps all of them. Parameters that ops on own rows read get a
    `vary`, and their gradients are the sums of the terms from the rows of all ranks. Exchanges move as many elements
    as before, except where a gather is repeated. With `keep-whole` values stay whole on every rank. Only the
    parameters that the same ops read are marked (`own_rows`), so that `split-row-sums` makes the same sums of their
    gradients: no bit depends on the option.

    Does not: change a product, whose operands all keep their shapes; split rows that the number of ranks does not
    divide; split an op that reads other rows than the row that it makes.

    Example: test/passes/Graph/split-rows.mlir.
  }];
  let options = [
    Option<"keepWhole", "keep-whole", "bool", "false", "values stay whole on every rank">,
    Option<"keepInputs", "keep-inputs", "bool", "false", "what is gathered for a product stays for its gradients">,
  ];
}

def SplitRowSums : Pass<"split-row-sums", "::mlir::ModuleOp"> {
  let summary = "compute gradients of whole parameters as sums over the rows of each rank";
  let description = [{
    Before: a module after `differentiate`, in which a gradient is added up over ranks
    (`graph.all_reduce ... own_rows`) although each rank has made it as the sum over all rows.

    After: each rank sums over its own rows (`graph.own_part`) and casts and adds these sums as before; then the ranks
    add up the terms. The gradient is thus the same sum whether or not `split-rows` left these rows on their ranks.

    Does not: change a gradient that is not such a sum. A marked gradient that is not such a sum is refused.

    Example: test/passes/Graph/split-row-sums.mlir.
  }];
}

def PartitionCheckpoints : Pass<"partition-checkpoints", "::mlir::ModuleOp"> {
  let summary = "share out activation checkpoints over tensor-parallel ranks";
  let description = [{
    Before: a module after `recompute`, whose values all ranks have whole (`split-rows=keep-whole`).

    After: a value that a layer keeps in order to repeat itself, and that every rank has whole, is kept as the own
    rows of each rank (`graph.own_part` after its producer). The layer gathers the rows before it repeats its forward
    pass. ZeRO-R calls this Pa. Where checkpoints are stored is decided later, for the parts.

    Does not: cut a value that the number of ranks does not divide, or one that the backward pass reads besides.

    Example: test/passes/Graph/partition-checkpoints.mlir.
  }];
}

def VerifySplits : Pass<"verify-splits", "::mlir::ModuleOp"> {
  let summary = "check what must hold where ranks share out operations";
  let description = [{
    From states, feeds and exchanges follows how every value is distributed over the ranks that share out operations:
    whole, varied, terms, split, or own rows of each rank. An op whose operands break its rule is refused. Examples
    are a whole value that a part of an op reads without `graph.vary`, terms that nobody added up, parts along two
    loops, and a gradient that is not distributed as its state is. The rules hold after `parallelise` and also after
    `differentiate`. The pass shares no code with `parallelise`. A value of which a rank has one index in several
    dimensions leaves open which dimension is shared out. Then an op may take any that its operands allow, first the one
    that the ops before it took or that `parallelise` noted (`graph.split_dimensions`), and some choice for all ops must
    be sound.

    Does not: check which elements the own values of a rank are. Whoever reads the coordinate of the rank is trusted
    to shift indices by it.

    Example: test/passes/Graph/verify-splits.mlir.
  }];
}

#endif
