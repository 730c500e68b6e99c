// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossOfParts.h - one cross-entropy from those of parts of a row ========//
//
// Duty: joins the losses of a row of logits whose columns were computed in parts, by tiles or by ranks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphBuilders.h"

namespace windlass::graph {

/// The loss and the log-sum-exp of a row, inside the body of a map. `losses`, `lses`: by part, those of the
/// part's columns. `hasLabel`: by part, whether the row's label is not ignored and names a column of the
/// part. The log-sum-exp of the row is that of the parts' log-sum-exps. The loss is the loss of the part with
/// the label, plus the difference between the log-sum-exp of the row and that of this part. If no part has
/// the label, the loss is 0.
mlir::SmallVector<mlir::Value> lossOfParts(const Scalars &s, mlir::ValueRange losses, mlir::ValueRange lses,
                                           llvm::function_ref<mlir::Value(unsigned part)> hasLabel);

} // namespace windlass::graph
