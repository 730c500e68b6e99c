// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExamplesApart.h - independence of the examples of a micro-batch =====//
//
// Duty: decides whether the loss of an imported model is a sum over the examples of a micro-batch, each term
// of one example alone. Then training with micro-batches of another size differs only by the order of sums. A
// batch norm, a softmax over the batch, or a loss of pairs of examples makes the answer false, and so does
// any op that this analysis does not know. Values are followed op by op: the elements of an example are one
// run, and the runs follow one another in the order of examples. Threads, ownership: as MLIR's. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <vector>

namespace windlass::graph {

/// `examples`: the examples of the micro-batch that the model was imported for, two or more. The analysis
/// takes a tensor of as many rows for one of the batch, so `examples` should be a number that no other
/// dimension of the model has.
bool areExamplesApart(mlir::ModuleOp imported, int64_t examples);

/// The numbers in the operations of an imported model, in order. If they differ between two sizes of the
/// micro-batch, a sum over its examples is divided by their number, as by a mean over all dimensions.
std::vector<double> numbersOf(mlir::ModuleOp imported);

} // namespace windlass::graph
