// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitPasses.td - graph passes of ranks that share out operations -*- tablegen -*-===//
//
// Apart from Passes.td, so that who knows one rank of a replica need not be compiled again for these.

#ifndef WINDLASS_PASSES_GRAPH_SPLITS
#define WINDLASS_PASSES_GRAPH_SPLITS

include "mlir/Pass/PassBase.td"

def Parallelise : Pass<"parallelise", "::mlir::ModuleOp"> {
  let summary = "share out the operations of a replica over ranks";
  let description = [{
    Before: a module as import or `precision` leaves it, on whole tensors.

    After (`ranks=t`): the module says what one of t ranks computes. Tensors have the sizes of what that rank has,
    and exchanges (`graph.vary`, `all_reduce`, `all_gather`, `own_part`) stand where ranks meet. Which op is shared
    out along which loop is chosen per layer function and step (`planning/Split`), from the model and t alone; what
    enters and leaves a layer is whole, and so is every gradient of a parameter that is not split. States of which
    a rank has a part say so (`graph.split`), the module how many ranks there are and, in words, what they share.
    Tables of embeddings and logits are cut by rows of the vocabulary; where t does not divide it, the last rank's
    are padded. Convolutions, which have their parameter on the left, are cut by output channels, too: batch norms
    of these are each rank's own, and so are their running statistics. With `ranks=1` nothing has changed.

    Does not: split an op that is no matmul, attention, embedding or cross-entropy for its own sake, or a
    `graph.dropout`: those stay whole on every rank. Know a machine.

    Example: test/passes/Graph/parallelise.mlir.
  }];
  let options = [Option<"ranks", "ranks", "int64_t", "1", "ranks that share out the operations of a replica">];
}

def SplitRows : Pass<"split-rows", "::mlir::ModuleOp"> {
  let summary = "let each rank compute its own rows of what lies whole";
  let description = [{
    Before: a module as `parallelise` leaves it.

    After: sequence parallelism. Sums of terms come to each rank as its rows (`graph.reduce_scatter` in place of
    `graph.all_reduce`), and what computes every row by itself from there on (norms, biases, dropout, residuals) runs on
    these rows alone, through layers, too. Where all rows are needed they are gathered, for products in parts again in
    the backward pass (`windlass.repeat`): a rank keeps its rows; with `keep-inputs` all of them, gathered once. Parameters that are read so vary, and their gradients
    are the sums of the terms that all ranks' rows make. Exchanges move as many elements as before, but for those that
    are gathered again. With `keep-whole` values stay whole on every rank, and only the parameters that the same ops
    read are marked (`own_rows`), so that `split-row-sums` makes the same sums of their gradients: no bit depends on it.

    Does not: touch a product, of which every operand has the shape that it had; split rows that ranks do not divide, or
    an op that reads other rows than the one that it makes.

    Example: test/passes/Graph/split-rows.mlir.
  }];
  let options = [
    Option<"keepWhole", "keep-whole", "bool", "false", "values stay whole on every rank">,
    Option<"keepInputs", "keep-inputs", "bool", "false", "what is gathered for a product stays for its gradients">,
  ];
}

def SplitRowSums : Pass<"split-row-sums", "::mlir::ModuleOp"> {
  let summary = "gradients of whole parameters as sums over each rank's own rows";
  let description = [{
    Before: a module behind `differentiate`, in which a gradient is added up over ranks (`graph.all_reduce ... own_rows`)
    that each of them has made as the sum over all rows.

    After: each rank sums its own rows (`graph.own_part`), casts and adds up sums of that, and ranks add up the terms. So
    the gradient is the same sum whether or not `split-rows` left these rows on their ranks.

    Does not: touch a gradient that is no such sum; refuses one that should be.

    Example: test/passes/Graph/split-row-sums.mlir.
  }];
}

def PartitionCheckpoints : Pass<"partition-checkpoints", "::mlir::ModuleOp"> {
  let summary = "share out activation checkpoints over the ranks that share out operations";
  let description = [{
    Before: a module behind `recompute`, whose values ranks have whole (`split-rows=keep-whole`).

    After: what a layer keeps to repeat itself, and every such rank has whole, is kept as each rank's own rows
    (`graph.own_part` behind its producer), and the layer gathers them before it repeats its forward pass: Pa of ZeRO-R.
    Where checkpoints rest is decided later, and is that of the parts.

    Does not: part what ranks do not divide, or what the backward pass reads besides.

    Example: test/passes/Graph/partition-checkpoints.mlir.
  }];
}

def VerifySplits : Pass<"verify-splits", "::mlir::ModuleOp"> {
  let summary = "what must hold where ranks share out operations";
  let description = [{
    From states, feeds and exchanges follows how every value lies over the ranks that share out operations: whole,
    varied, terms, split, or each rank's own. An op whose operands do not meet its rule is refused: a whole value that
    a part of an op reads without `graph.vary`, terms that nobody added up, parts along two loops, a gradient that does
    not lie as its state does. Holds behind `parallelise`, and behind `differentiate`, too. It shares no code with
    `parallelise`. A rank that has one index of several dimensions leaves open which of them is shared out: then all
    that reads the value must be sound for one of them.

    Does not: tell which elements a rank's own values are: that an index was shifted by the rank's coordinate is
    believed of whoever reads the coordinate.

    Example: test/passes/Graph/verify-splits.mlir.
  }];
}

#endif
