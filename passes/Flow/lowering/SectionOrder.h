// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SectionOrder.h - where the operations of a section stand ==============//
//
// Duty: puts instructions of a section into an order, the definitions of their buffers before the first user,
// and releases behind the last. Linear in the operations of the section. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"

namespace windlass::flow {

/// Puts the release of every buffer of a section right behind the buffer's last user. Earlier releases go.
void placeReleases(SectionOp section);

/// Puts the instructions of a section into this order: all of them, each once. Uses of homes go to the front,
/// allocations and views before the first instruction that uses them; those without a user go. Before, a
/// definition may stand behind its users.
void placeInOrder(SectionOp section, llvm::ArrayRef<InstructionOpInterface> instructions);

} // namespace windlass::flow
