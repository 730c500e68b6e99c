// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/Pipeline.h"

#include "mlir/Pass/PassRegistry.h"
#include "passes/Flow/Passes.h"

using namespace mlir;

namespace windlass::flow {

void buildFlowWaitsPipeline(OpPassManager &manager) {
  // Waits follow from bytes, so they come when offsets are final.
  manager.addPass(createMaterializeDependencies());
  // What a lane's order and other waits imply need not be said, or waited for.
  manager.addPass(createElideWaits());
  // The plan level trusts what is checked here.
  manager.addPass(createVerifyFlow());
}

void buildFlowTrainPipeline(OpPassManager &manager, const FlowTrainOptions &options) {
  // One flat list per section: from here on an operation is moved, never rewritten.
  LowerToFlowOptions lowering;
  lowering.scratchBytes = options.scratchBytes;
  manager.addPass(createLowerToFlow(lowering));
  // Homes, order and offsets depend on each other, so one pass decides them together.
  PlanMemoryOptions planning;
  planning.hardware = options.hardware;
  planning.credits = options.credits;
  manager.addPass(createPlanMemory(planning));
  buildFlowWaitsPipeline(manager);
}

void registerFlowPipelines() {
  PassPipelineRegistration<FlowTrainOptions>("flow-train", "from shards and kernels to planned sections",
                                             buildFlowTrainPipeline);
  PassPipelineRegistration<>("flow-waits", "from planned sections to what every instruction waits for",
                             buildFlowWaitsPipeline);
}

} // namespace windlass::flow
