// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Freeze.h - parameters that are not trained ==========================//
//
// Duty: puts the parameters whose names match into the group "frozen", which nothing differentiates, and
// gives layers with other frozen parameters functions of their own.
// Errors: BadInput: no regular expression, nothing left to train.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Status.h"
#include <string>
#include <vector>

namespace windlass {

/// Regular expressions over the original names of parameters. What matches `trainable` is trained, whatever
/// `freeze` or the model says.
Status freezeParameters(mlir::ModuleOp module, const std::vector<std::string> &freeze,
                        const std::vector<std::string> &trainable);

} // namespace windlass
