// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExamplesApart.h - independence of the examples of a micro-batch =======//
//
// Duty: follows the examples of a micro-batch through an imported model, op by op, up to its loss. Where each
// example is computed by itself, and the loss is a sum over examples, training with micro-batches of another
// size differs only by the order of sums. Where examples meet before, as in a softmax over the batch or a
// loss of pairs of examples, the loss of a step is a mean over micro-batches of other numbers than that of
// the whole batch. An op that this analysis does not know counts as a meeting. The elements of an example are
// runs of neighbours, and the runs of the examples take turns in their order. Threads, ownership: as MLIR's.
// Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include <vector>

namespace windlass::graph {

/// Whether the loss is a sum over examples, each term of one example alone. False for a batch norm, for a
/// function of such sums, and where examples may meet. `examples`: those of the micro-batch that the model
/// was imported for, two or more. The analysis takes a tensor of as many rows for one of the batch, so
/// `examples` should be a number that no other dimension of the model has.
bool areExamplesApart(mlir::ModuleOp imported, int64_t examples);

/// The operation where examples may first meet before the loss. A batch norm of the model is none.
struct Meeting {
  mlir::Operation *op = nullptr; ///< null: they do not meet
  /// Nothing but sums over examples meets, in one number: the root of a mean of squares, a quotient of sums.
  bool isOfNumbers = false;
};
Meeting meetingOfExamples(mlir::ModuleOp imported, int64_t examples);

/// The numbers in the operations of an imported model, in order. If they differ between two sizes of the
/// micro-batch, a sum over its examples is divided by their number, as by a mean over all dimensions.
std::vector<double> numbersOf(mlir::ModuleOp imported);

} // namespace windlass::graph
