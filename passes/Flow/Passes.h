// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.h - the passes of the flow level ===============================//
//
// Duty: constructors and registration, generated from Passes.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include "mlir/Pass/Pass.h"
#include "passes/NamedOption.h"

namespace windlass::flow {

#define GEN_PASS_DECL
#include "passes/Flow/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Flow/Passes.h.inc"

} // namespace windlass::flow
