// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphDialect.h - the graph dialect ====================================//
//
// Duty: the ops and attributes of the computation of one training step. Rationale: docs/dialects/graph.md.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/PlanEnums.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace windlass::graph {

/// The role of a state, in the plan's terms: parameter, master, momentum, variance, ...
using Role = plan::StateClass;

} // namespace windlass::graph

#include "dialects/Graph/IR/GraphDialect.h.inc"
#include "dialects/Graph/IR/GraphEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Graph/IR/GraphAttrs.h.inc"
#include "dialects/Graph/IR/GraphInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/Graph/IR/GraphOps.h.inc"
