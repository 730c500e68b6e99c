// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - the passes of the dist level -----------------*- tablegen -*-===//

#ifndef WINDLASS_PASSES_DIST
#define WINDLASS_PASSES_DIST

include "mlir/Pass/PassBase.td"

def Partition : Pass<"partition", "::mlir::ModuleOp"> {
  let summary = "cut states into shards; gather at first use, reduce-scatter at last production";
  let description = [{
    **Before**: a graph-level module with `@train`, `@evaluate` and perhaps `@sample`; states are whole.

    **After**: no `graph.state`, `graph.read` or `graph.write` is left. States belong to `dist.bucket`s;
    layer functions take shards (ZeRO 3) or whole units (below); `dist.all_gather` stands before the
    first use of a bucket in a function (a tile is a bucket of its own, gathered before each use that follows
    one of a tile at another place), `dist.reduce_scatter` right after its last gradient is produced
    (ZeRO 2 and 3) or at the end of the micro-batch (0 and 1). The update works on shards. With `owned`
    every bucket of ZeRO 3 has an owner, `dist.broadcast` and `dist.reduce` stand in those places (with `staged`,
    but for what a step reads in several places, which may be stages of a pipeline). With
    `all-reduce` gradients of ZeRO 1 are whole on every rank before each takes its part of them; with
    `reduce-per-step` gradients of ZeRO 0 and 1 are summed over micro-batches before they are over ranks.
    With `replicas` the mesh has two axes, buckets are shared out over the inner one, and what is said of ranks
    here holds for its groups; shards of gradients are summed over the outer axis behind the micro-batches.
    With `finer` too, gradients and optimizer states are cut over the outer axis, within the pieces of the inner one:
    a second `dist.reduce_scatter` over that axis stands behind each of gradients, the update works on such parts, and
    a `dist.all_gather` over it brings new parameters.

    **Not**: it forms no kernels and places nothing; it never changes which elements a piece holds, which
    depends on the tensor and the number of ranks alone.

    Example: test/passes/Dist/partition.mlir.
  }];
  let options = [
    Option<"ranks", "ranks", "int64_t", "1", "data-parallel ranks">,
    Option<"replicas", "replicas", "int64_t", "1",
           "copies of the states, each shared out over ranks / replicas consecutive ranks">,
    Option<"finer", "finer", "bool", "false",
           "with replicas, copies of the parameters alone: all ranks share out gradients and optimizer states">,
    Option<"zero", "zero", "int64_t", "3", "ZeRO 0 to 3: what is shared out over ranks">,
    Option<"persistence", "persistence", "int64_t", "0",
           "at ZeRO 3, buckets of packed tensors of at most so many elements stay whole (ZeRO 2)">,
    Option<"owned", "owned", "bool", "false", "at ZeRO 3, each bucket rests whole on one rank, which broadcasts it">,
    Option<"staged", "staged", "bool", "false",
           "but what a step reads in several places, which may be stages of a pipeline, rests in pieces">,
    Option<"allReduce", "all-reduce", "bool", "false", "at ZeRO 1, gradients are reduced to all ranks, not to shards">,
    Option<"reducePerStep", "reduce-per-step", "bool", "false",
           "at ZeRO 0 and 1, gradients are reduced after the last micro-batch, not after each">,
    Option<"bucketBytes", "bucket-bytes", "int64_t", "4194304",
           "parameter bytes of a bucket; a larger tensor is a bucket of its own">,
    ListOption<"zeroOf", "zero-of", "::windlass::Named<int64_t>", "ZeRO of single buckets, as NAME:NUMBER (h.0.decay.0:2)">,
  ];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def LowerExchanges : Pass<"lower-exchanges", "::mlir::ModuleOp"> {
  let summary = "exchanges between ranks that share out operations become collectives over their axis";
  let description = [{
    **Before**: a dist-level module, whose ops are what one of the ranks along the axis `tp` of the mesh computes;
    exchanges (`graph.vary`, `all_reduce`, `all_gather`, `reduce_scatter`, `own_part`) stand where these meet.

    **After**: none is left. An all-reduce is a `dist.reduce_scatter` and a `dist.all_gather` over the axis, so that
    its sums are in rank order and rounded once. `vary` is the value itself.

    **Not**: it moves no exchange and joins none; where a tensor does not divide into pieces it is padded with zeros.

    Example: test/passes/Dist/lower-exchanges.mlir.
  }];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def PadRows : Pass<"pad-rows", "::mlir::ModuleOp"> {
  let summary = "let rows that a library multiplies begin on multiples of some bytes";
  let description = [{
    **Before**: rows of a product lie back to back, so that those of 50257 numbers of bf16 begin at odd addresses, for
    which libraries have their slowest code.

    **After**: a matrix that a product or the gradient of the loss makes, and that products, the loss, maps and sums read,
    has a type that says how far apart its rows lie, where they have at least 1,024 bytes and no multiple of 16: a multiple of
    `alignment` bytes.

    **Not**: what anything else makes or reads, what a function hands to another, and what is added onto stay as they
    are. No number depends on it, but for the order in which a library sums.

    Example: test/passes/Dist/pad-rows.mlir.
  }];
  let options = [Option<"alignment", "alignment", "int64_t", "128", "bytes from which rows begin, and their multiples">];
}

def FormKernels : Pass<"form-kernels", "::mlir::ModuleOp"> {
  let summary = "outline every compute op into a kernel, one per distinct computation";
  let description = [{
    **Before**: compute is graph ops in functions and steps.

    **After**: it is `dist.launch` of `func.func`s that carry `dist.kernel` and hold one graph op. Equal
    computations (op, attributes, types, body) share a kernel, named by op and content hash.

    **Not**: it fuses nothing (`fuse-maps` did) and generates no code. Reshapes, packs and collectives stay.

    Example: test/passes/Dist/form-kernels.mlir.
  }];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def KeepScoresOnChip : Pass<"keep-scores-on-chip", "::mlir::ModuleOp"> {
  let summary = "say which operands of kernels a fused attention has in no memory";
  let description = [{
    **Before**: compute is launches of kernels; of attention its products, its softmax and its maps.

    **After**: a kernel that reads or writes a number for every pair of tokens says in `windlass.on_chip` which of
    its arguments and results these are, and is taken to move none of their bytes. Where launches of one kernel
    differ in that, it says nothing.

    **Not**: it changes nothing that is computed, and no buffer: what is planned still has room for the scores.
    It is for devices whose library has attention as one kernel (`device.fused_attention` of a hardware file).

    Example: test/passes/Dist/keep-scores-on-chip.mlir.
  }];
}

def AssignStages : Pass<"assign-stages", "::mlir::ModuleOp"> {
  let summary = "say which stage of a pipeline computes what";
  let description = [{
    **Before**: a dist-level module of one stage, whose compute is launches of kernels.

    **After**: ops of steps and buckets have a stage, in `windlass.stage`. `layers` says how many layers each stage
    has, in the order in which they are called. What stands before the first call is of the first stage, what stands
    behind the last of the last; a bucket of the step rests at the first stage that reads it. What is computed from
    feeds, constants, parameters or scalars alone has no stage: each stage that needs it does it itself. Slots of the
    norm are made where their gradients rest, and put together at the last stage in the order they had, so that the norm
    is the same sum wherever the model is cut.

    **Not**: it moves nothing; the module computes what it did.

    Example: test/passes/Dist/assign-stages.mlir.
  }];
  let options = [
    ListOption<"layers", "layers", "int64_t", "layers of each stage: 2,2">,
  ];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def ExtractStage : Pass<"extract-stage", "::mlir::ModuleOp"> {
  let summary = "what one stage of a pipeline does, as a module of its own";
  let description = [{
    **Before**: `assign-stages` has said which stage computes what.

    **After**: the module has what `stage` does. A value that another stage makes is one that it receives, by
    `dist.recv`, at the place where it is made there; a value that others need is sent right behind, by `dist.send`.
    Messages go from stage to neighbouring stage, so that those in between hand on what they do not need. All stages so
    have their messages in the order of the step. A parameter that several stages read goes once, before the micro-batches. A bucket of which a stage has gradients, and that rests elsewhere, has
    no classes. With several `chunks` a stage has so many parts of the model, each `stages` behind the one before; the ends of
    messages are parts then, and ops keep the part that they are of.

    **Not**: it changes no computation, and knows nothing of the order in which micro-batches run.

    Example: test/passes/Dist/extract-stage.mlir.
  }];
  let options = [
    Option<"stage", "stage", "int64_t", "0", "the stage">,
    Option<"stages", "stages", "int64_t", "1", "of so many">,
    Option<"chunks", "chunks", "int64_t", "1", "parts of the model that a stage has">,
  ];
  let dependentDialects = ["::windlass::dist::DistDialect"];
}

def VerifyDist : Pass<"verify-dist", "::mlir::ModuleOp"> {
  let summary = "what must hold when the dist level ends";
  let description = [{
    No whole states, no compute outside kernels, collectives fit their buckets, every bucket that is
    trained is written once.

    Example: test/passes/Dist/verify-dist.mlir.
  }];
}

#endif
