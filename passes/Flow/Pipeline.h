// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pipeline.h - the flow level as named pipelines ========================//
//
// Duty: the order of the flow passes, under names that tools, tests and the driver share:
// `flow-waits` (what follows planning) and `flow-train` (the whole level).
// Errors: passes report through diagnostics; the pass manager returns failure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace windlass::flow {

struct FlowTrainOptions : mlir::PassPipelineOptions<FlowTrainOptions> {
  Option<std::string> hardware{*this, "hardware", llvm::cl::desc("hardware file")};
  Option<int64_t> scratchBytes{*this, "scratch-bytes",
                               llvm::cl::desc("bytes of library scratch on the device"),
                               llvm::cl::init(1 << 20)};
  Option<int64_t> credits{*this, "credits",
                          llvm::cl::desc("fetches under way ahead, per link; 0: as latencies ask for"),
                          llvm::cl::init(0)};
};

/// From planned sections to sections whose instructions know what they wait for.
void buildFlowWaitsPipeline(mlir::OpPassManager &manager);
/// From a dist module to planned sections with waits.
void buildFlowTrainPipeline(mlir::OpPassManager &manager, const FlowTrainOptions &options);

void registerFlowPipelines();

} // namespace windlass::flow
