// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Pipeline.h - the dist level as a named pipeline =======================//
//
// Duty: the order of the dist passes, under the name `dist-train` that tools, tests and the driver share.
// Errors: passes report through diagnostics; the pass manager returns failure.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "passes/NamedOption.h"

namespace windlass::dist {

struct DistTrainOptions : mlir::PassPipelineOptions<DistTrainOptions> {
  Option<int64_t> ranks{*this, "ranks", llvm::cl::desc("data-parallel ranks"), llvm::cl::init(1)};
  Option<int64_t> replicas{*this, "replicas",
                           llvm::cl::desc("copies of the states, each shared out over ranks / replicas"),
                           llvm::cl::init(1)};
  Option<bool> finer{*this, "finer",
                     llvm::cl::desc("all ranks share out gradients and optimizer states, replicas or not"),
                     llvm::cl::init(false)};
  Option<int64_t> zero{*this, "zero", llvm::cl::desc("ZeRO 0 to 3: what is shared out over ranks"),
                       llvm::cl::init(3)};
  ListOption<Named<int64_t>> zeroOf{*this, "zero-of",
                                    llvm::cl::desc("ZeRO of single buckets, as NAME:NUMBER")};
  Option<int64_t> persistence{*this, "persistence",
                              llvm::cl::desc("elements of the largest pack that stays whole at ZeRO 3"),
                              llvm::cl::init(0)};
  Option<bool> owned{*this, "owned", llvm::cl::desc("each bucket of ZeRO 3 rests whole on one rank"),
                     llvm::cl::init(false)};
  Option<bool> staged{*this, "staged",
                      llvm::cl::desc("what stages of a pipeline may share has no such rank, but pieces"),
                      llvm::cl::init(false)};
  Option<bool> allReduce{*this, "all-reduce", llvm::cl::desc("gradients of ZeRO 1 are reduced to all ranks"),
                         llvm::cl::init(false)};
  Option<bool> reducePerStep{*this, "reduce-per-step",
                             llvm::cl::desc("gradients of ZeRO 0 and 1 are reduced once a step"),
                             llvm::cl::init(false)};
  Option<int64_t> rowAlignment{*this, "row-alignment",
                               llvm::cl::desc("bytes that rows of products begin at multiples of; 0: any"),
                               llvm::cl::init(0)};
  Option<int64_t> bucketBytes{*this, "bucket-bytes", llvm::cl::desc("parameter bytes of a bucket"),
                              llvm::cl::init(4 << 20)};
};

/// A graph module as `graph-train` leaves it becomes one of shards, collectives and kernels.
void buildDistTrainPipeline(mlir::OpPassManager &manager, const DistTrainOptions &options);

void registerDistPipelines();

} // namespace windlass::dist
