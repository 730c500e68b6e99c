// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.h - the passes of the graph level ==============================//
//
// Duty: declares and registers the passes of Passes.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Pass/Pass.h"
#include "passes/NamedOption.h"

namespace windlass::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Graph/Passes.h.inc"

} // namespace windlass::graph
