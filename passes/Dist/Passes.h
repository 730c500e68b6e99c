// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Passes.h - the passes of the dist level ===============================//
//
// Duty: constructors and registration, generated from Passes.td.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "mlir/Pass/Pass.h"
#include "passes/NamedOption.h"

namespace windlass::dist {

#define GEN_PASS_DECL
#include "passes/Dist/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Dist/Passes.h.inc"

} // namespace windlass::dist
