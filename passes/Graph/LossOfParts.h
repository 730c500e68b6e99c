// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossOfParts.h - a cross-entropy that was computed in parts ===========//
//
// Duty: joins the losses of a row of logits whose columns were computed in parts, as tiles or by ranks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphBuilders.h"

namespace windlass::graph {

/// The loss and the log-sum-exp of a row, inside the body of a map. `losses`, `lses`: of the row's columns in
/// each part. `hasLabel`: whether the row's label counts and names a column of the part. The log-sum-exp is
/// that of the parts' ones; the loss is that of the part with the label, and how much more the log-sum-exp of
/// all parts is. A row whose label no part has loses 0.
mlir::SmallVector<mlir::Value> lossOfParts(const Scalars &s, mlir::ValueRange losses, mlir::ValueRange lses,
                                           llvm::function_ref<mlir::Value(unsigned part)> hasLabel);

} // namespace windlass::graph
