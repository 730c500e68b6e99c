// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- FlowDialect.h - the flow dialect ======================================//
//
// Duty: the ops, types and attributes of buffers, their memory tiers, and the order of transfers and
// launches. Rationale: docs/dialects/flow.md. Threads, ownership: as MLIR's.
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

/// The word of a tier; "unplaced" without one.
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

/// The range of bytes that a buffer value stands for, within its root: an alloc or a use. Units: bytes.
struct BufferRange {
  mlir::Value root;
  int64_t offset = 0, bytes = 0;
  llvm::SmallVector<int64_t, 2> strides = {}; ///< offset per coordinate of each mesh axis; empty: all 0
};

/// Follows views down to the alloc or use.
BufferRange resolveBuffer(mlir::Value buffer);

/// The range that an instruction accesses through `buffer`. If the root has several slots, the range is in
/// the slot of the instruction's micro-batch; `micro` is the number of the first micro-batch of the section's
/// run.
BufferRange resolveAccess(InstructionOpInterface instruction, mlir::Value buffer, int64_t micro = 0);

/// The only data rank that has the buffer; -1: all ranks have it.
int64_t ownerOf(mlir::Value buffer);
/// The only data rank that executes an instruction; -1: all ranks do, as for every collective.
int64_t ownerOf(InstructionOpInterface instruction);

inline BufferType bufferType(mlir::Value buffer) { return mlir::cast<BufferType>(buffer.getType()); }
/// The tier of a buffer; it must have one.
inline Tier tierOf(mlir::Value buffer) { return *bufferType(buffer).getTier(); }

} // namespace windlass::flow
