// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExamplesApart.h - whether examples never meet =======================//
//
// Duty: says of an imported model whether its loss is a sum over the examples of a micro-batch of what each
// gives by itself. Then micro-batches of another size train the same, but for the order of sums. A batch
// norm, a softmax over the batch or a loss of pairs of examples says no; so does what this analysis does not
// follow. Values are followed op by op: elements of an example stand in one run, example behind example.
// Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace windlass::graph {

/// `examples`: of the micro-batch that the model was imported for, two or more. A tensor of as many rows is
/// taken for one of the batch: a number that no dimension of the model has by chance tells most.
bool areExamplesApart(mlir::ModuleOp imported, int64_t examples);

} // namespace windlass::graph
