// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Freeze.h - parameters that are not trained ============================//
//
// Duty: puts the parameters whose names match into the group "frozen", which gets no gradients, and gives
// layers with other frozen parameters functions of their own. Refuses running statistics that no step would
// change. Errors: BadInput: no regular expression, nothing left to train, such statistics. Threads,
// ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Status.h"
#include <string>
#include <vector>

namespace windlass {

/// `freeze`, `trainable`: regular expressions over the original names of parameters. A parameter that matches
/// `trainable` is trained, even if it matches `freeze` or the model freezes it.
Status freezeParameters(mlir::ModuleOp module, const std::vector<std::string> &freeze,
                        const std::vector<std::string> &trainable);

/// Freezes the parameters that the loss does not depend on, or through detached values alone: they get no
/// gradient. Returns their original names.
Result<std::vector<std::string>> freezeUnreached(mlir::ModuleOp module);

/// Refuses running statistics of batch norms that the loss does not depend on, or through detached values
/// alone. PyTorch changes them in its forward pass; here the backward pass does, which ends before such
/// norms.
Status checkStatistics(mlir::ModuleOp module);

} // namespace windlass
