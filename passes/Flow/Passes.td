// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - the passes of the flow level -----------------*- tablegen -*-===//

#ifndef WINDLASS_PASSES_FLOW
#define WINDLASS_PASSES_FLOW

include "mlir/Pass/PassBase.td"

def LowerToFlow : Pass<"lower-to-flow", "::mlir::ModuleOp"> {
  let summary = "turn steps into flat sections of instructions on buffers";
  let description = [{
    **Before**: a dist-level module whose compute is launches of kernels.

    **After**: there are `flow.home`s for every state and gradient accumulator, one `flow.section` for each way in
    which a micro-batch runs, and a `flow.schedule` per step that says which sections run, how often and in which
    order. A step runs `only`, or `first`, `middle` as often as needed, and `last`; the update stands in `only` and
    `last`. `evaluate` and `sample` have a section and a schedule each. Layer functions are inlined, and every
    instruction knows its origin. Homes have no place yet, and instructions use them as if every home were where the
    instruction needs it. With one rank an update reads a gradient from its home, without a gather, if nothing else
    reads that unit. What nothing reads is not gathered. Options change this:

    - `vertical`: all micro-batches of a step stand in `only`. All of them run a layer before the next layer begins,
      and share what is gathered for it.
    - `kept`: parameters of these buckets are gathered once in a section and stay whole until their last use.
    - `phases`: kernels whose sums are made in two phases (by a device or by several threads) say so
      (`windlass.partials`), and each of their launches has buffers for partial sums as scratch.
    - `staging-bytes`: sums over ranks are staged in at most this number of bytes, in one home for each lane that has
      such sums.

    **Not**: it places nothing, moves nothing and reorders nothing: program order is the order of the step.

    Example: test/passes/Flow/lower-to-flow.mlir.
  }];
  let options = [
    Option<"scratchBytes", "scratch-bytes", "int64_t", "1048576", "bytes of library scratch on the device">,
    Option<"vertical", "vertical", "bool", "false", "all micro-batches run a layer before the next layer begins">,
    ListOption<"kept", "kept", "std::string", "buckets that stay gathered from the forward pass to the backward pass">,
    Option<"phases", "phases", "bool", "false", "long sums are made in two phases">,
    Option<"stagingBytes", "staging-bytes", "int64_t", "0",
           "most bytes in which sums over ranks are staged, for each lane">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def SplitBackward : Pass<"split-backward", "::mlir::ModuleOp"> {
  let summary = "split the backward pass into gradients of inputs and gradients of weights";
  let description = [{
    **Before**: a step as `lower-to-flow` leaves it. The backward pass of a layer makes gradients of inputs and
    gradients of weights in the order of the chain rule.

    **After**: instructions that no message to another stage and no report needs have the attribute
    `windlass.weights`. They stand after the instructions that a message or a report needs, and before the update or
    within it. They are products that make gradients of weights, sums over rows, collectives and accumulations.
    `delay-backward` can then run them later, when no other stage waits for them. On the first stage, which sends no
    gradients on, they are all instructions but receives.

    **Not**: it splits no kernel: a kernel that makes gradients of both kinds stays where it is. An instruction that
    changes bytes in place which a later instruction of the other part uses stays, too.

    Example: test/passes/Flow/split-backward.mlir.
  }];
  let dependentDialects = ["::windlass::flow::FlowDialect"];
}

def DelayBackward : Pass<"delay-backward", "::mlir::ModuleOp"> {
  let summary = "run the backward pass of every micro-batch a number of runs after its forward pass";
  let description = [{
    **Before**: a step as `lower-to-flow` leaves it, in sections `first`, perhaps `middle`, and `last`. Each run of a
    section has the forward and the backward pass of one micro-batch. The backward pass may be in two parts, as
    `split-backward` leaves it.

    **After**: a run has the forward pass of one micro-batch and the backward pass of the micro-batch `lag` runs
    before. A stage of a pipeline can thus begin the next micro-batch while gradients of this one are still on their
    way. Gradients of weights that are split off are those of the micro-batch `weights-lag` runs before, and so is the
    update. The section `warm` has forward passes only, `drain` and `last` have backward passes only; several sections
    of a kind have numbers. What is sent and received once in a step is in the first run. An instruction is of a
    micro-batch that is as far behind the micro-batch of its run as the instruction lags.

    What a pass leaves to a pass in a later run waits in homes. Such a home has a slot for each micro-batch that waits
    at the same time; homes of activation checkpoints have no tier yet. A message has one slot more, because the next
    message comes, or is made, while the one before is still read or on its way. Where `next-lag`, the lag of the next
    stage, is less than `lag`, gradients are received before activations are sent, `next-lag` + 1 runs after their
    forward pass: this is when the next stage sends them.

    **Not**: it changes neither what is computed nor the order in which gradients are added up. A sum to which both
    parts of a backward pass add is refused.

    Example: test/passes/Flow/delay-backward.mlir.
  }];
  let options = [
    Option<"lag", "lag", "int64_t", "0",
           "runs from a forward pass to its backward pass; must be less than the number of micro-batches">,
    Option<"nextLag", "next-lag", "int64_t", "0", "the lag of the next stage">,
    Option<"weightsLag", "weights-lag", "int64_t", "0",
           "runs from a forward pass to gradients of weights that are split off; lag is used if it is larger">,
    Option<"alignment", "alignment", "int64_t", "64",
           "bytes of which the size of a slot, and so the place where it begins, is a multiple">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def InterleaveChunks : Pass<"interleave-chunks", "::mlir::ModuleOp"> {
  let summary = "interleave the passes of the chunks of layers of a stage";
  let description = [{
    **Before**: a step as `lower-to-flow` leaves it, of a stage with several chunks of layers (`extract-stage`). One
    run of a section has the forward passes of all chunks for a micro-batch, then their backward passes.

    **After**: runs are those of interleaved 1F1B (`planning/Pipeline/ChunkOrder.h`). Each run takes as many
    micro-batches as there are stages through all chunks, one chunk at a time, with backward passes of earlier
    micro-batches in between. Each instruction has the distance of its micro-batch from the micro-batch of its run.
    Runs with the same work are one section. What is sent and received once in a step comes first. Other messages
    stand in the order in which they would happen if stages took no time for them. What one run leaves to another
    waits in homes with a slot for each micro-batch that waits at the same time, as in `delay-backward`.

    **Not**: it changes neither what is computed nor the order in which gradients are added up.

    Example: test/passes/Flow/interleave-chunks.mlir.
  }];
  let options = [
    Option<"stage", "stage", "int64_t", "0", "number of the stage, from 0 on">,
    Option<"stages", "stages", "int64_t", "1", "stages of the pipeline">,
    Option<"chunks", "chunks", "int64_t", "2", "parts of the model in a stage">,
    Option<"alignment", "alignment", "int64_t", "64",
           "bytes of which the size of a slot, and so the place where it begins, is a multiple">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def MaterializeTransfers : Pass<"materialize-transfers", "::mlir::ModuleOp"> {
  let summary = "make every movement between tiers an instruction";
  let description = [{
    **Before**: every home has a tier; instructions use homes in whatever tier they are.

    **After**: the operands of an instruction are in the tier that its lane can access. Collectives have staging
    buffers on the device, and gradients are added in the tier where they are stored. Activation checkpoints leave the
    device and come back (a disk takes whole blocks, of which the last is filled up with zeros). An update streams
    through staging buffers in chunks: read, update, write.

    **Not**: it moves no instruction. A transfer stands right before its user or right after its producer.

    Example: test/passes/Flow/materialize-transfers.mlir.
  }];
  let options = [
    Option<"chunkElements", "chunk-elements", "int64_t", "262144",
           "elements of an update's chunk; rounded down to a multiple of 4,096">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def ElideCollectives : Pass<"elide-collectives", "::mlir::ModuleOp"> {
  let summary = "turn collectives of one rank into views";
  let description = [{
    **Before**: operands of collectives are on the device, as `materialize-transfers` leaves them.

    **After**: collectives in groups of one rank, where the pieces of the rank are whole units, are no instructions
    any more. The units of a gather are views of its shard, and the units of a reduce-scatter are made in its shard. A
    launch zeroes the padding after the pieces, as the reduce-scatter did.

    **Not**: a collective stays where unit and shard must be different buffers: where the unit is a home of its own,
    or is written after it was gathered, or where the shard changes while its units are in use. Groups of more ranks
    keep every collective.

    Example: test/passes/Flow/elide-collectives.mlir.
  }];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def PlanMemory : Pass<"plan-memory", "::mlir::ModuleOp"> {
  let summary = "decide homes, order and offsets together, and write them into the IR once";
  let description = [{
    **Before**: a flow module as `lower-to-flow` leaves it.

    **After**: every home has a tier and an offset, transfers are instructions, every section is in the order in which
    its lanes run it, and every buffer has an offset. All arenas fit the machine of `hardware`. To get there, the pass
    repeats placing, materialising transfers, scheduling and allocating on copies of the module, each time with a
    smaller cap.

    **Not**: it derives no waits. A machine that cannot hold the plan is refused; the message names the tier, the
    bytes short and the largest consumers.

    Example: test/passes/Flow/plan-memory.mlir.
  }];
  let options = [
    Option<"hardware", "hardware", "std::string", "", "hardware file">,
    Option<"credits", "credits", "int64_t", "0",
           "fetches that are under way ahead of their use, per link; 0: as many as latencies require">,
    Option<"overlap", "overlap", "bool", "true", "whether transfers run while kernels compute; false: program order">,
    Option<"chunkElements", "chunk-elements", "int64_t", "262144", "elements of an update's chunk">,
    ListOption<"pins", "pins", "::windlass::Named<::windlass::plan::Tier>",
               "tiers that are given, as CLASS:TIER (moments:nvme)">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def MaterializeDependencies : Pass<"materialize-dependencies", "::mlir::ModuleOp"> {
  let summary = "derive what every instruction waits for";
  let description = [{
    **Before**: sections are in their final order; every buffer has an offset.

    **After**: every instruction has `waits`: one (lane, ordinal) for each lane with earlier instructions that access
    conflicting bytes, in its own section or in the section before it. This also guards buffers that share bytes,
    because conflicts are found by bytes and not by buffers.

    **Not**: it keeps waits that other waits imply; `elide-waits` drops them.

    Example: test/passes/Flow/materialize-dependencies.mlir.
  }];
  let dependentDialects = ["::windlass::flow::FlowDialect"];
}

def ElideWaits : Pass<"elide-waits", "::mlir::ModuleOp"> {
  let summary = "drop waits that other waits imply";
  let description = [{
    **Before**: waits as `materialize-dependencies` derived them.

    **After**: no wait of an instruction is implied by the order of its lane and its other waits. The pass finds this
    with vector clocks.

    **Not**: it never changes which instruction happens before which.

    Example: test/passes/Flow/elide-waits.mlir.
  }];
}

def VerifyFlow : Pass<"verify-flow", "::mlir::ModuleOp"> {
  let summary = "check what must hold when the flow level ends";
  let description = [{
    Homes are placed and have offsets, every instruction has one lane, buffers have offsets inside their arena and are
    used between their allocation and their release, and no `flow.update` is left.

    Example: test/passes/Flow/verify-flow.mlir.
  }];
}

#endif
