// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PaddedExamples.h - whether padding adds to a loss =====================//
//
// Duty: the last batch of a validation is filled up with examples of zeros whose labels are all ignored.
// Finds from the step that evaluates a model whether such examples add nothing to the loss. Threads: pure
// function.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass {

/// True if examples of zeros with ignored labels may add something to the loss that the step reports. False:
/// each term of the loss is a multiple of cross-entropies, which are zero where their label is ignored. The
/// scores of an example are taken to depend on no other example.
bool paddingMayCount(graph::StepOp evaluate);

} // namespace windlass
