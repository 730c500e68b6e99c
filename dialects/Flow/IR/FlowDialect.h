// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FlowDialect.h - the flow dialect ====================================//
//
// Duty: where bytes rest, and when they move. Rationale: docs/dialects/flow.md.
// Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

namespace windlass::flow {

using plan::BufferClass;
using plan::Lane;
using plan::Phase;
using plan::Purpose;
using plan::Tier;

/// "unplaced" where there is none.
llvm::StringRef stringifyTier(std::optional<Tier> tier);

} // namespace windlass::flow

#include "dialects/Flow/IR/FlowDialect.h.inc"
#include "dialects/Flow/IR/FlowEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Flow/IR/FlowAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Flow/IR/FlowInterfaces.h.inc"
#include "dialects/Flow/IR/FlowTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Flow/IR/FlowOps.h.inc"

namespace windlass::flow {

/// A range of bytes behind a buffer value: its root (alloc or use) and where in it.
struct BufferRange {
  mlir::Value root;
  int64_t offset = 0, bytes = 0;
  llvm::SmallVector<int64_t, 2> strides = {}; ///< per coordinate of each axis of the mesh; none: all zero
};

/// Follows views down to the alloc or use.
BufferRange resolveBuffer(mlir::Value buffer);

/// The same of an instruction's operand: where slots begin to count at micro-batch `micro` of those that its
/// section's run counts from, in the slot of its own micro-batch.
BufferRange resolveAccess(InstructionOpInterface instruction, mlir::Value buffer, int64_t micro = 0);

/// The one data rank that has the buffer; -1: all ranks have it.
int64_t ownerOf(mlir::Value buffer);
/// The one rank that executes an instruction; -1: all do, as every collective.
int64_t ownerOf(InstructionOpInterface instruction);

inline BufferType bufferType(mlir::Value buffer) { return mlir::cast<BufferType>(buffer.getType()); }
/// Of a buffer that is placed.
inline Tier tierOf(mlir::Value buffer) { return *bufferType(buffer).getTier(); }

} // namespace windlass::flow
