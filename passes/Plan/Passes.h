// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.h - the passes of the plan level ===============================//
//
// Duty: constructors and registration, generated from Passes.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Plan/IR/PlanDialect.h"
#include "mlir/Pass/Pass.h"

namespace windlass::plandialect {

#define GEN_PASS_DECL
#include "passes/Plan/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Plan/Passes.h.inc"

} // namespace windlass::plandialect
