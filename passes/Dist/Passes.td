// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - the passes of the dist level -----------------*- tablegen -*-===//

#ifndef WINDLASS_PASSES_DIST
#define WINDLASS_PASSES_DIST

include "mlir/Pass/PassBase.td"

def Partition : Pass<"partition", "::mlir::ModuleOp"> {
  let summary = "cut states into shards; gather before first use, reduce-scatter after last production";
  let description = [{
    **Before**: a graph-level module with `@train`, `@evaluate` and perhaps `@sample`; states are whole.

    **After**: no `graph.state`, `graph.read` or `graph.write` is left. States belong to `dist.bucket`s. Layer
    functions take shards (ZeRO 3) or whole units (ZeRO 0 to 2). A `dist.all_gather` stands before the first use of a
    bucket in a function. A tile is a bucket of its own; it is gathered again before each use that follows a use of a
    tile at another place. A `dist.reduce_scatter` stands right after the last gradient of a bucket is produced (ZeRO
    2 and 3), or at the end of the micro-batch (ZeRO 0 and 1). The update works on shards. Options change this:

    - `owned`: every bucket of ZeRO 3 has an owner, and `dist.broadcast` and `dist.reduce` stand in these places. With
      `staged`, buckets that a step reads in several places, which may be stages of a pipeline, have no owner.
    - `all-reduce`: gradients of ZeRO 1 are whole on every rank before each rank takes its part of them.
    - `reduce-per-step`: gradients of ZeRO 0 and 1 are summed over micro-batches before they are summed over ranks.
    - `replicas`: the mesh has two axes. Buckets are shared out over the inner axis, and what is said of ranks here
      holds for the groups of that axis. Shards of gradients are summed over the outer axis after the micro-batches.
    - `finer`, with `replicas`: gradients and optimizer states are also cut over the outer axis, within the pieces of
      the inner one. A second `dist.reduce_scatter`, over the outer axis, follows each one of gradients. The update
      works on such parts, and a `dist.all_gather` over the outer axis brings the new parameters.

    **Not**: it forms no kernels and places nothing. It never changes which elements a piece holds: that depends only
    on the tensor and the number of ranks.

    Example: test/passes/Dist/partition.mlir.
  }];
  let options = [
    Option<"ranks", "ranks", "int64_t", "1", "data-parallel ranks">,
    Option<"replicas", "replicas", "int64_t", "1",
           "copies of the states, each shared out over ranks / replicas consecutive ranks">,
    Option<"finer", "finer", "bool", "false",
           "with replicas, only parameters have copies: all ranks share out gradients and optimizer states">,
    Option<"zero", "zero", "int64_t", "3", "ZeRO 0 to 3: what is shared out over ranks">,
    Option<"persistence", "persistence", "int64_t", "0",
           "at ZeRO 3, buckets of packed tensors with at most this number of elements stay whole (ZeRO 2)">,
    Option<"owned", "owned", "bool", "false", "at ZeRO 3, one rank stores all of a bucket and broadcasts it">,
    Option<"staged", "staged", "bool", "false",
           "with owned, what a step reads in several places, which may be stages of a pipeline, is stored in pieces">,
    Option<"allReduce", "all-reduce", "bool", "false", "at ZeRO 1, gradients are reduced to all ranks, not to shards">,
    Option<"reducePerStep", "reduce-per-step", "bool", "false",
           "at ZeRO 0 and 1, gradients are reduced after the last micro-batch, not after each">,
    Option<"bucketBytes", "bucket-bytes", "int64_t", "4194304",
           "parameter bytes of a bucket; a larger tensor is a bucket of its own">,
    ListOption<"zeroOf", "zero-of", "::windlass::Named<int64_t>",
               "ZeRO of single buckets, as NAME:NUMBER (h.0.decay.0:2)">,
  ];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def LowerExchanges : Pass<"lower-exchanges", "::mlir::ModuleOp"> {
  let summary = "turn exchanges between ranks that share out operations into collectives over their axis";
  let description = [{
    **Before**: a dist-level module whose ops are the computation of one of the ranks along the mesh axis `tp`.
    Exchanges between these ranks (`graph.vary`, `all_reduce`, `all_gather`, `reduce_scatter`, `own_part`) are graph
    ops.

    **After**: no exchange is left. An all-reduce is a `dist.reduce_scatter` and a `dist.all_gather` over the axis, so
    that its sums are in rank order and rounded once. `vary` is replaced by its operand.

    **Not**: it moves no exchange and joins none. A tensor that does not divide into pieces is padded with zeros.

    Example: test/passes/Dist/lower-exchanges.mlir.
  }];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def PadRows : Pass<"pad-rows", "::mlir::ModuleOp"> {
  let summary = "let the rows of matrices that a library multiplies begin at multiples of an alignment";
  let description = [{
    **Before**: the rows of a product are stored back to back. Rows of 50257 bf16 numbers then begin at odd addresses,
    for which libraries have their slowest code.

    **After**: some matrices have a type that says how far apart their rows are: a multiple of `alignment` bytes.
    These are matrices that a product or the gradient of the loss makes and that products, the loss, maps and sums
    read, if a row has at least 1,024 bytes and not a multiple of 16.

    **Not**: a matrix that another op makes or reads, that a function hands to another, or onto which something is
    added stays as it is. No number depends on the padding, except through the order in which a library sums.

    Example: test/passes/Dist/pad-rows.mlir.
  }];
  let options = [Option<"alignment", "alignment", "int64_t", "128",
                        "bytes of which the distance of rows is a multiple">];
}

def FormKernels : Pass<"form-kernels", "::mlir::ModuleOp"> {
  let summary = "outline every compute op into a kernel, with one kernel per distinct computation";
  let description = [{
    **Before**: compute is graph ops in functions and steps.

    **After**: compute is `dist.launch` of `func.func`s that have the attribute `dist.kernel` and hold one graph op.
    Equal computations (op, attributes, types, body) share a kernel, named by op and content hash.

    **Not**: it fuses nothing (`fuse-maps` has done that) and generates no code. Reshapes, packs and collectives stay.

    Example: test/passes/Dist/form-kernels.mlir.
  }];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def KeepScoresOnChip : Pass<"keep-scores-on-chip", "::mlir::ModuleOp"> {
  let summary = "name the operands of kernels that a fused attention does not store in memory";
  let description = [{
    **Before**: all computation is launches of kernels. Attention is the launches of its products, its softmax and its
    maps.

    **After**: a kernel that reads or writes a number for every pair of tokens names these arguments and results in
    `windlass.on_chip`, and the cost model counts no bytes for them. Where launches of one kernel differ in this, the
    kernel has no such attribute.

    **Not**: it changes no computation and no buffer: the plan still has room for the scores. It is meant for devices
    whose library has attention as one kernel (`device.fused_attention` of a hardware file).

    Example: test/passes/Dist/keep-scores-on-chip.mlir.
  }];
}

def AssignStages : Pass<"assign-stages", "::mlir::ModuleOp"> {
  let summary = "assign ops and buckets to the stages of a pipeline";
  let description = [{
    **Before**: a dist-level module of one stage, whose compute is launches of kernels.

    **After**: ops of steps and buckets have a stage, in `windlass.stage`. `layers` gives the number of layers of each
    stage, in the order in which they are called. Ops before the first call belong to the first stage, ops after the
    last call to the last stage. A bucket of the step is stored on the first stage that reads it. That stage makes a
    gradient of the bucket, from gradients that come down to it; what a later stage must make, it copies. What is
    computed outside of layers, only from feeds, constants, parameters or scalars, has no stage: each stage that
    needs it computes it itself. Slots of the norm are made where their gradients are stored, and the last stage puts
    them together in their original order, so that the norm is the same sum wherever the model is cut.

    **Not**: it moves nothing; the module computes the same.

    Example: test/passes/Dist/assign-stages.mlir.
  }];
  let options = [
    ListOption<"layers", "layers", "int64_t", "layers of each stage: 2,2">,
  ];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def ExtractStage : Pass<"extract-stage", "::mlir::ModuleOp"> {
  let summary = "reduce the module to what one stage of a pipeline does";
  let description = [{
    **Before**: `assign-stages` has assigned ops to stages.

    **After**: the module has the work of `stage` only. A value that another stage makes is received by `dist.recv`,
    at the place where it was made. A value that other stages need is sent right after it is made, by `dist.send`.
    Messages go from a stage to its neighbour, so that stages in between pass on values that they do not need. All
    stages thus have their messages in the order of the step. A parameter that several stages read is sent once,
    before the micro-batches. A bucket of which the stage has gradients, and which is stored on another stage, has no
    classes. With `chunks` greater than 1 the stage has this number of parts of the model, each `stages` parts after
    the one before. The ends of messages are then numbers of parts, and ops keep the number of their part.

    **Not**: it changes no computation, and knows nothing of the order in which micro-batches run.

    Example: test/passes/Dist/extract-stage.mlir.
  }];
  let options = [
    Option<"stage", "stage", "int64_t", "0", "number of the stage, from 0 on">,
    Option<"stages", "stages", "int64_t", "1", "stages of the pipeline">,
    Option<"chunks", "chunks", "int64_t", "1", "parts of the model in a stage">,
  ];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def VerifyDist : Pass<"verify-dist", "::mlir::ModuleOp"> {
  let summary = "check what must hold when the dist level ends";
  let description = [{
    There are no whole states and no computation outside of kernels, collectives fit their buckets, and every bucket
    that is trained is written once.

    Example: test/passes/Dist/verify-dist.mlir.
  }];
}

#endif
