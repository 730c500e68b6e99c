// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/Pipeline.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/SplitPasses.h"

using namespace mlir;

namespace windlass::graph {

void buildGraphGradientPipeline(OpPassManager &manager, const GraphTrainOptions &options) {
  // First, since later passes take the types of new ops from existing ones.
  manager.addPass(createPrecision({options.compute}));
  // Before the logits are shared out or tiled: they are still one product, of which one row is kept.
  manager.addPass(createReportOneRow());
  // From here on the module is that of one tensor-parallel rank.
  if (options.tensor > 1) {
    manager.addPass(createParallelise({options.tensor}));
    // After parallelise, which decides which values are whole between two products: ranks can cut these into
    // rows.
    manager.addPass(createSplitRows({options.wholeRows, options.keepInputs}));
    manager.addPass(createVerifySplits());
  }
  // Before differentiate, so that the gradients of a tiled layer are tiled, too.
  manager.addPass(createTileMatmuls({options.tileLimit, options.tileActivation}));
  // After the passes above, for which training and evaluation have one forward pass; dropout makes them
  // differ.
  manager.addPass(createMaterializeDropout());
  // Batch norms make them differ, too.
  manager.addPass(createMaterializeBatchNorm({options.ranks, options.microBatches}));
  // Before composites are decomposed: the adjoint of attention is better than those of its parts.
  manager.addPass(createDifferentiate({options.microBatches, options.recompute == "selective"}));
  if (options.tensor > 1) {
    // After differentiate: each rank sums its own rows, so that gradients are the same sums with and without
    // wholeRows.
    manager.addPass(createSplitRowSums());
    // A gradient that is placed on ranks otherwise than its parameter would be wrong without an error.
    manager.addPass(createVerifySplits());
  }
  // While each layer is one forward call and one backward call.
  const std::string mode = options.recompute == "selective" ? "none" : options.recompute.getValue();
  manager.addPass(createRecompute({mode, options.every, options.layers, llvm::to_vector(options.keep)}));
  // After recompute, which decides which activations are kept. With own rows each rank keeps only a part
  // already.
  if (options.tensor > 1 && options.wholeRows && options.partitionCheckpoints) {
    manager.addPass(createPartitionCheckpoints());
    manager.addPass(createVerifySplits());
  }
}

void buildGraphUpdatePipeline(OpPassManager &manager, const GraphTrainOptions &options) {
  // The update reads gradients, so it is built after the passes above, which rewrite them.
  manager.addPass(
      createApplyOptimizer({options.beta1, options.beta2, options.epsilon, options.weightDecay, options.clip,
                            /*scaled=*/options.compute == "f16"}));
  // Before attention is decomposed, which would make a tensor of all pairs of tokens.
  manager.addPass(createBlockAttention({options.attentionLimit}));
  // After differentiate: only composites that a library runs whole are kept.
  manager.addPass(createDecomposeComposites({llvm::to_vector(options.whole)}));
  // Folds duplicates, and erases ops without users and functions without calls.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createSymbolDCEPass());
  // Each remaining map becomes a kernel; fewer kernels move fewer bytes.
  manager.addPass(createFuseMaps());
  // Verifies what the dist level relies on.
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
