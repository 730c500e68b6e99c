// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Neighbours.h - neighbours of a plan that are worth a trial ============//
//
// Duty: decides, without planning, whether another value of one decision may make a plan faster. All
// functions require that the decision is open, and that the device waits for part of the step: otherwise
// other transfers gain nothing. Units: seconds of a step. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/Candidate.h"

namespace windlass {

/// Whether the vertical order of micro-batches may be faster than the horizontal: some bytes come or go with
/// every micro-batch, and the vertical plan, which writes out every micro-batch, stays short.
bool mayGainFromVertical(const TrainingOptions &training, const Candidate &candidate,
                         const flow::MemoryPlan &horizontal, mlir::ModuleOp planned);
/// Whether parameters that stay gathered from the forward to the backward pass may be faster.
bool mayGainFromKeepingGathered(const TrainingOptions &training, const Candidate &candidate,
                                const flow::MemoryPlan &plan);
/// Whether buckets of another size, or other parameters that stay whole, may be faster: they are gathered,
/// and no decision names a bucket.
bool mayGainFromBucketSizes(const TrainingOptions &training, const Candidate &candidate,
                            const flow::MemoryPlan &plan);
/// The most seconds of a neighbour that is accepted in place of `plain`, though it takes more memory or has
/// more instructions.
double acceptableSeconds(const flow::MemoryPlan &plain);
/// The most seconds of a plan that is better than `plan`: of nearly equal ones only one that spares the disk.
double worthwhileSeconds(const flow::MemoryPlan &plan);
/// A plan that was left as slow is better than none.
bool isBetter(const flow::MemoryPlan &plan, const flow::MemoryPlan &other);

} // namespace windlass
