// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.td - the passes of the flow level -----------------*- tablegen -*-===//

#ifndef WINDLASS_PASSES_FLOW
#define WINDLASS_PASSES_FLOW

include "mlir/Pass/PassBase.td"

def LowerToFlow : Pass<"lower-to-flow", "::mlir::ModuleOp"> {
  let summary = "steps become flat sections of instructions on buffers";
  let description = [{
    **Before**: a dist-level module whose compute is launches of kernels.

    **After**: `flow.home`s for every state and gradient accumulator, one `flow.section` per way a
    micro-batch runs, and a `flow.schedule` per step that says which run, how often, in which order: `only`, or
    `first`, `middle` as often as needed, and `last`; the update stands in `only` and `last`. `evaluate` and `sample`
    have a section and a schedule each. Layer functions are inlined; every instruction
    knows its origin. With `vertical` all micro-batches of a step stand in `only`: all of them run a layer
    before the next layer begins, and share what is gathered for it. Parameters of the buckets in `kept` are gathered
    once in a section, and stay whole until their last use. Homes are unplaced and instructions use them as if all lay where they are needed.
    Of one rank an update reads a gradient from its home, without a gather, if nothing else reads that unit.
    With `phases` kernels whose sums are made in two phases, by a device or by several threads, say so (`windlass.partials`),
    and each of their launches has buffers for partial sums as scratch. `staging-bytes` are what sums over ranks are staged in at most, in a home of each
    lane that has any.

    **Not**: it places nothing, moves nothing and orders nothing: program order is the step's.

    Example: test/passes/Flow/lower-to-flow.mlir.
  }];
  let options = [
    Option<"scratchBytes", "scratch-bytes", "int64_t", "1048576", "bytes of library scratch on the device">,
    Option<"vertical", "vertical", "bool", "false", "all micro-batches of a layer before the next layer">,
    ListOption<"kept", "kept", "std::string", "buckets that stay gathered from the forward to the backward pass">,
    Option<"phases", "phases", "bool", "false", "long sums are made in two phases">,
    Option<"stagingBytes", "staging-bytes", "int64_t", "0", "bytes that sums over ranks are staged in at most, for each lane">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def SplitBackward : Pass<"split-backward", "::mlir::ModuleOp"> {
  let summary = "part the backward pass into gradients of inputs and gradients of weights";
  let description = [{
    **Before**: a step as `lower-to-flow` leaves it; the backward pass of a layer makes both kinds of gradients, as the
    chain rule comes to them.

    **After**: what no message to another stage and no report needs bears `windlass.weights` and stands behind the
    instructions that one does need, before the update or among it: products that make gradients of weights, sums over
    rows, collectives and accumulations. So `delay-backward` can run it later, while other stages wait for nothing of
    it. On the first stage, which sends no gradient on, that is all but what it receives.

    **Not**: it parts no kernel: one that makes gradients of both kinds stays where it is. What changes bytes in place that
    a later instruction of the other part uses stays, too.

    Example: test/passes/Flow/split-backward.mlir.
  }];
  let dependentDialects = ["::windlass::flow::FlowDialect"];
}

def DelayBackward : Pass<"delay-backward", "::mlir::ModuleOp"> {
  let summary = "run the backward pass of every micro-batch some runs behind its forward pass";
  let description = [{
    **Before**: a step as `lower-to-flow` leaves it, in sections `first`, perhaps `middle`, and `last`, in which a
    micro-batch has its forward and its backward pass; perhaps the latter in two parts, as `split-backward` leaves it.

    **After**: a run has the forward pass of a micro-batch and the backward pass of the one `lag` runs before: a stage
    of a pipeline thereby has the next micro-batch begin while gradients of this one are still on their way. Gradients
    of weights, where they are split off, are those of the micro-batch `weights-lag` runs before, and so is the update. The
    section `warm` has forward passes alone, `drain` and `last` backward passes alone; several of a kind have numbers. What is
    sent and received once in a step is in the first run.
    What a pass leaves to one that runs later waits in homes with a slot for each micro-batch that is there at a time,
    activation checkpoints in homes that have no tier yet. A message has one slot more: the next comes, or is made, while
    the one before is still read, or on its way. Instructions are of a micro-batch as far behind that of their
    run as they lag. Where `next-lag`, that of the next stage, is less, gradients are received before activations are
    sent, `next-lag` + 1 runs behind their forward pass, which is when the next stage sends them.

    **Not**: it changes neither what is computed nor the order in which gradients are added up: a sum that both parts
    of a backward pass add to is refused.

    Example: test/passes/Flow/delay-backward.mlir.
  }];
  let options = [
    Option<"lag", "lag", "int64_t", "0", "runs from a forward pass to its backward pass; less than the micro-batches">,
    Option<"nextLag", "next-lag", "int64_t", "0", "the lag of the next stage">,
    Option<"weightsLag", "weights-lag", "int64_t", "0",
           "runs from a forward pass to the gradients of weights that are split off; lag, if that is more">,
    Option<"alignment", "alignment", "int64_t", "64", "what the bytes of a slot are a multiple of, and so where slots begin">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def InterleaveChunks : Pass<"interleave-chunks", "::mlir::ModuleOp"> {
  let summary = "run the passes of a stage's chunks of layers in turn";
  let description = [{
    **Before**: a step as `lower-to-flow` leaves it, of a stage with several chunks of layers (`extract-stage`): a micro-batch has the
    forward passes of all chunks, then their backward passes, in one run of a section.

    **After**: runs are those of interleaved 1F1B (`planning/Pipeline/ChunkOrder.h`): each takes as many micro-batches as there are stages
    through all chunks, a chunk at a time, with the backward passes of earlier ones in between. An instruction is of a micro-batch
    so far from that of its run. Runs that do the same are one section. What is
    sent and received once in a step comes first. Other messages
    stand in the order in which stages that need no time for them would have them. What one run leaves to another waits in homes with a slot for each
    micro-batch that is there at a time, as `delay-backward` has it.

    **Not**: it changes neither what is computed nor the order in which gradients are added up.

    Example: test/passes/Flow/interleave-chunks.mlir.
  }];
  let options = [
    Option<"stage", "stage", "int64_t", "0", "the stage">,
    Option<"stages", "stages", "int64_t", "1", "of so many">,
    Option<"chunks", "chunks", "int64_t", "2", "parts of the model that a stage has">,
    Option<"alignment", "alignment", "int64_t", "64", "what the bytes of a slot are a multiple of, and so where slots begin">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def MaterializeTransfers : Pass<"materialize-transfers", "::mlir::ModuleOp"> {
  let summary = "make every movement between tiers an instruction";
  let description = [{
    **Before**: every home has a tier; instructions use homes wherever they lie.

    **After**: operands of an instruction lie where its lane can touch them. Collectives get device
    staging, gradients are added where they rest, activation checkpoints leave the device and come back (a disk takes
    whole blocks, the last filled up with zeros), and an update streams through staging buffers in chunks: read,
    update, write.

    **Not**: it moves no instruction; transfers stand right before their user or right after their producer.

    Example: test/passes/Flow/materialize-transfers.mlir.
  }];
  let options = [
    Option<"chunkElements", "chunk-elements", "int64_t", "262144",
           "elements of an update's chunk; rounded down to a multiple of 4,096">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def ElideCollectives : Pass<"elide-collectives", "::mlir::ModuleOp"> {
  let summary = "collectives of one rank become views";
  let description = [{
    **Before**: operands of collectives lie on the device, as `materialize-transfers` leaves them.

    **After**: of collectives in groups of one rank, where the rank's pieces are whole units, the units of a gather are views of
    its shard, the units of a reduce-scatter are made in its shard, and neither is an instruction any more. The
    padding behind the pieces, which a reduce-scatter zeroes, gets a launch.

    **Not**: a collective stays where the two must differ: a unit is a home of its own, or is written after it was
    gathered, or a shard changes while its units are in use. Groups of more ranks keep every collective.

    Example: test/passes/Flow/elide-collectives.mlir.
  }];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def PlanMemory : Pass<"plan-memory", "::mlir::ModuleOp"> {
  let summary = "decide homes, order and offsets together, and write them once";
  let description = [{
    **Before**: a flow module as `lower-to-flow` leaves it.

    **After**: every home has a tier and an offset, transfers are instructions, every section stands in
    the order its lanes run it, and every buffer has an offset; all arenas fit the machine of
    `hardware`. Rounds of place, materialise, schedule and allocate run on copies under a shrinking cap.

    **Not**: it derives no waits. A machine that cannot hold the plan is refused with the tier, the bytes
    short and the largest consumers.

    Example: test/passes/Flow/plan-memory.mlir.
  }];
  let options = [
    Option<"hardware", "hardware", "std::string", "", "hardware file">,
    Option<"credits", "credits", "int64_t", "0", "fetches under way ahead, per link; 0: as latencies ask for">,
    Option<"overlap", "overlap", "bool", "true", "false: program order">,
    Option<"chunkElements", "chunk-elements", "int64_t", "262144", "elements of an update's chunk">,
    ListOption<"pins", "pins", "::windlass::Named<::windlass::plan::Tier>", "homes that are given, as CLASS:TIER (moments:nvme)">,
  ];
  let dependentDialects = ["::windlass::flow::FlowDialect", "::windlass::graph::GraphDialect"];
}

def MaterializeDependencies : Pass<"materialize-dependencies", "::mlir::ModuleOp"> {
  let summary = "derive what every instruction waits for";
  let description = [{
    **Before**: sections in their final order; every buffer has an offset.

    **After**: every instruction carries `waits`: one (lane, ordinal) per lane for each earlier instruction whose
    bytes it conflicts with, in its own section or in the one before it. Two buffers that share bytes get
    their guard here too, because conflicts are judged by bytes.

    **Not**: it drops nothing that another wait implies (`elide-waits` does).

    Example: test/passes/Flow/materialize-dependencies.mlir.
  }];
  let dependentDialects = ["::windlass::flow::FlowDialect"];
}

def ElideWaits : Pass<"elide-waits", "::mlir::ModuleOp"> {
  let summary = "drop waits that others imply";
  let description = [{
    **Before**: waits as derived.

    **After**: no wait of an instruction is implied by its lane's order and its other waits (vector clocks).

    **Not**: it never changes what happens before what.

    Example: test/passes/Flow/elide-waits.mlir.
  }];
}

def VerifyFlow : Pass<"verify-flow", "::mlir::ModuleOp"> {
  let summary = "what must hold when the flow level ends";
  let description = [{
    Homes are placed and allocated, every instruction has one lane, buffers have offsets inside their
    arena and are used between their allocation and their release, no `flow.update` is left.

    Example: test/passes/Flow/verify-flow.mlir.
  }];
}

#endif
