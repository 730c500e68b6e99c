// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/Pipeline.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Dist/Passes.h"

using namespace mlir;

namespace windlass::dist {

void buildDistTrainPipeline(OpPassManager &manager, const DistTrainOptions &options) {
  // Who holds what, before kernels: a shard's update is another kernel than a tensor's.
  manager.addPass(
      createPartition({options.ranks, options.replicas, options.finer, options.zero, options.persistence,
                       options.owned, options.staged, options.allReduce, options.reducePerStep,
                       options.bucketBytes, llvm::to_vector(options.zeroOf)}));
  // Where ranks that share out operations meet, while the copies that this takes can still become kernels.
  manager.addPass(createLowerExchanges());
  // How rows lie is part of a kernel's operands.
  if (options.rowAlignment > 0)
    manager.addPass(createPadRows({options.rowAlignment}));
  // One kernel per distinct computation, while layers are still functions and every op stands once.
  manager.addPass(createFormKernels());
  // Layer functions nobody calls any more (@block, once it has .fwd and .bwd).
  manager.addPass(createSymbolDCEPass());
  // The flow level trusts what is checked here.
  manager.addPass(createVerifyDist());
}

void registerDistPipelines() {
  PassPipelineRegistration<DistTrainOptions>(
      "dist-train", "from a training step of whole tensors to shards and kernels", buildDistTrainPipeline);
}

} // namespace windlass::dist
