// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SplitPasses.h - graph passes of ranks that share out operations =======//
//
// Duty: declares and registers the passes of SplitPasses.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Pass/Pass.h"

namespace windlass::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Graph/SplitPasses.h.inc"

} // namespace windlass::graph
