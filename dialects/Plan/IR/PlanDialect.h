// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanDialect.h - the plan dialect ======================================//
//
// Duty: the ops and attributes of the plan dialect: the instructions of a plan, one op each, as the last form
// of the plan in IR. The namespace is `plandialect`, since `windlass::plan` is that of the plan itself
// (runtime/plan). Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"

#include "dialects/Plan/IR/PlanDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/IR/PlanAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/IR/PlanOps.h.inc"
