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
    are padded. With `ranks=1` nothing has changed.

    Does not: split an op that is no matmul, attention, embedding or cross-entropy for its own sake, or a
    `graph.dropout`: those stay whole on every rank. Know a machine.

    Example: test/passes/Graph/parallelise.mlir.
  }];
  let options = [Option<"ranks", "ranks", "int64_t", "1", "ranks that share out the operations of a replica">];
}

def VerifySplits : Pass<"verify-splits", "::mlir::ModuleOp"> {
  let summary = "what must hold where ranks share out operations";
  let description = [{
    From states, feeds and exchanges follows how every value lies over the ranks that share out operations: whole,
    varied, terms, split, or each rank's own. An op whose operands do not meet its rule is refused: a whole value that
    a part of an op reads without `graph.vary`, terms that nobody added up, parts along two loops, a gradient that does
    not lie as its state does. Holds behind `parallelise`, and behind `differentiate`, too. It shares no code with
    `parallelise`.

    Does not: tell which elements a rank's own values are: that an index was shifted by the rank's coordinate is
    believed of whoever reads the coordinate.

    Example: test/passes/Graph/verify-splits.mlir.
  }];
}

#endif
