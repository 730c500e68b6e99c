// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pipeline.h - the graph level as named pipelines =======================//
//
// Duty: the order of the graph passes, under the name `graph-train` that tools, tests and the driver share.
// Errors: passes report through diagnostics; the pass manager returns failure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "passes/NamedOption.h"

namespace windlass::graph {

/// The decisions of a training file that the graph level depends on.
struct GraphTrainOptions : mlir::PassPipelineOptions<GraphTrainOptions> {
  Option<std::string> compute{*this, "compute", llvm::cl::desc("f32 | bf16 | f16"), llvm::cl::init("f32")};
  Option<int64_t> microBatches{*this, "micro-batches", llvm::cl::desc("micro-batches of one step"),
                               llvm::cl::init(1)};
  Option<int64_t> tileLimit{*this, "tile-limit", llvm::cl::desc("bytes of a parameter tile; 0: no tiles"),
                            llvm::cl::init(0)};
  Option<int64_t> tileActivation{
      *this, "tile-activation",
      llvm::cl::desc("bytes of a tile of an inner activation or of logits; 0: no tiles"), llvm::cl::init(0)};
  Option<int64_t> attentionLimit{*this, "attention-limit",
                                 llvm::cl::desc("bytes of a block of scores; 0: no blocks"),
                                 llvm::cl::init(0)};
  Option<std::string> recompute{*this, "recompute", llvm::cl::desc("none | selective | full | kept"),
                                llvm::cl::init("none")};
  Option<int64_t> every{*this, "every", llvm::cl::desc("layers between two kept inputs"), llvm::cl::init(1)};
  Option<int64_t> layers{*this, "layers",
                         llvm::cl::desc("layers that are repeated, from the first on; 0: all"),
                         llvm::cl::init(0)};
  ListOption<Named<std::string>> keep{*this, "keep",
                                      llvm::cl::desc("FUNCTION:ACTIVATION, what is kept where some is")};
  Option<double> beta1{*this, "beta1", llvm::cl::init(0.9)};
  Option<double> beta2{*this, "beta2", llvm::cl::init(0.999)};
  Option<double> epsilon{*this, "epsilon", llvm::cl::init(1e-8)};
  Option<double> weightDecay{*this, "weight-decay", llvm::cl::init(0.01)};
  Option<int64_t> ranks{*this, "ranks", llvm::cl::desc("ranks that batches are dealt to"), llvm::cl::init(1)};
  Option<int64_t> tensor{*this, "tensor", llvm::cl::desc("ranks that share out the operations of a replica"),
                         llvm::cl::init(1)};
  Option<bool> wholeRows{*this, "whole-rows",
                         llvm::cl::desc("such ranks compute all rows between two products"),
                         llvm::cl::init(false)};
  Option<bool> keepInputs{
      *this, "keep-inputs",
      llvm::cl::desc("what such ranks gather of rows for a product stays for its gradients"),
      llvm::cl::init(false)};
  Option<bool> partitionCheckpoints{*this, "partition-checkpoints",
                                    llvm::cl::desc("such ranks keep a part each of activation checkpoints"),
                                    llvm::cl::init(false)};
  ListOption<std::string> whole{
      *this, "whole", llvm::cl::desc("ops that the target's library runs whole: \"graph.attention\"")};
  Option<double> clip{*this, "clip", llvm::cl::desc("largest gradient norm; 0: none"), llvm::cl::init(0.0)};
};

/// The first half: adds @train, which reports gradients, to an imported module. Composites stay whole.
void buildGraphGradientPipeline(mlir::OpPassManager &manager, const GraphTrainOptions &options);
/// The second half: builds the update, and decomposes composites that are more than one kernel.
void buildGraphUpdatePipeline(mlir::OpPassManager &manager, const GraphTrainOptions &options);
/// Both halves: an imported module becomes one for the dist level, with @train beside @evaluate and @sample.
void buildGraphTrainPipeline(mlir::OpPassManager &manager, const GraphTrainOptions &options);

/// Registers the pipelines under their names.
void registerGraphPipelines();

} // namespace windlass::graph
