// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/Pipeline.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/SplitPasses.h"

using namespace mlir;

namespace windlass::graph {

void buildGraphGradientPipeline(OpPassManager &manager, const GraphTrainOptions &options) {
  // Types first: whatever is built later takes its types from the ops it is built of.
  manager.addPass(createPrecision({options.compute}));
  // While logits are one product: what ranks share out later, or tiles cut, is one row of them then.
  manager.addPass(createReportOneRow());
  // From here on the module is what one of the ranks that share out operations computes.
  if (options.tensor > 1) {
    manager.addPass(createParallelise({options.tensor}));
    // What lies whole between two products is what ranks can cut into rows: after it is known what does.
    manager.addPass(createSplitRows({options.wholeRows, options.keepInputs}));
    manager.addPass(createVerifySplits());
  }
  // Before there are gradients, so that those of a tiled layer are tiled too.
  manager.addPass(createTileMatmuls({options.tileLimit, options.tileActivation}));
  // The passes above saw one forward pass; with dropout that of training is another.
  manager.addPass(createMaterializeDropout());
  // Nor do batch norms of training what those of evaluation do.
  manager.addPass(createMaterializeBatchNorm({options.ranks, options.microBatches}));
  // The step, while composites are whole: attention has a better adjoint than its parts.
  manager.addPass(createDifferentiate({options.microBatches, options.recompute == "selective"}));
  if (options.tensor > 1) {
    // Gradients are the same sums wherever their rows lie.
    manager.addPass(createSplitRowSums());
    // A gradient that lies over ranks otherwise than its parameter would be a wrong number without a word.
    manager.addPass(createVerifySplits());
  }
  // What is kept for the backward pass, while a layer is still one call forward and one backward.
  const std::string mode = options.recompute == "selective" ? "none" : options.recompute.getValue();
  manager.addPass(createRecompute({mode, options.every, options.layers, llvm::to_vector(options.keep)}));
  // Now that it is known what is kept to repeat a layer, each rank can keep a part; own rows are one already.
  if (options.tensor > 1 && options.wholeRows && options.partitionCheckpoints) {
    manager.addPass(createPartitionCheckpoints());
    manager.addPass(createVerifySplits());
  }
}

void buildGraphUpdatePipeline(OpPassManager &manager, const GraphTrainOptions &options) {
  // The update reads gradients, so it comes when it is settled who computes them.
  manager.addPass(
      createApplyOptimizer({options.beta1, options.beta2, options.epsilon, options.weightDecay, options.clip,
                            /*scaled=*/options.compute == "f16"}));
  // What decomposition would make a tensor of all pairs of tokens, while attention still is one op.
  manager.addPass(createBlockAttention({options.attentionLimit}));
  // Nobody differentiates any more: composites that nothing runs whole become what they mean.
  manager.addPass(createDecomposeComposites({llvm::to_vector(options.whole)}));
  // Folds what the passes above wrote twice, and what nobody reads or calls.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createSymbolDCEPass());
  // Every map that is left is a kernel; the fewer, the fewer bytes move.
  manager.addPass(createFuseMaps());
  // The dist level trusts what is checked here.
  manager.addPass(createVerifyGraph({llvm::to_vector(options.whole)}));
}

void buildGraphTrainPipeline(OpPassManager &manager, const GraphTrainOptions &options) {
  buildGraphGradientPipeline(manager, options);
  buildGraphUpdatePipeline(manager, options);
}

void registerGraphPipelines() {
  PassPipelineRegistration<GraphTrainOptions>(
      "graph-train", "from an imported model to a training step of whole tensors", buildGraphTrainPipeline);
}

} // namespace windlass::graph
