//===- Freeze.h - parameters that are not trained ==========================//
//
// Duty: puts the parameters whose names match into the group "frozen", which nothing differentiates, and
// gives layers with other frozen parameters functions of their own.
// Errors: BadInput: no regular expression, one that matches nothing, nothing left to train.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "runtime/base/Status.h"
#include <string>
#include <vector>

namespace windlass {

/// `patterns`: regular expressions over the original names of parameters.
Status freezeParameters(mlir::ModuleOp module, const std::vector<std::string> &patterns);

} // namespace windlass
