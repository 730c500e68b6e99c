// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WaitingSlots.h - what waits from one run of a section to another ======//
//
// Duty: puts buffers of the sections of a step, which die with a run, into homes with a slot for each
// micro-batch whose value is there at a time, and makes sections of instructions that come from others.
// Activation checkpoints wait in homes that have no tier yet; all others on the tier they had.
// Errors: diagnostics, of sections that do not have the same buffers. Threads, ownership: as MLIR's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringMap.h"

namespace windlass::flow {

/// A buffer, and how many micro-batches have a value in it at a time.
using WaitingBuffer = std::pair<AllocOp, int64_t>;

class WaitingSlots {
public:
  /// Homes stand before `schedule`; slots begin at multiples of `alignment`.
  WaitingSlots(ScheduleOp schedule, int64_t alignment);

  /// Puts buffers of a section, in program order, into homes. All sections of a step have the same buffers in
  /// the same order, and share the homes.
  mlir::LogicalResult keep(SectionOp section, llvm::ArrayRef<WaitingBuffer> waiting);

private:
  int64_t slotBytes(AllocOp alloc) const;
  HomeOp declare(AllocOp alloc, int64_t count);

  ScheduleOp schedule;
  const int64_t alignment;
  mlir::OpBuilder builder;
  llvm::SmallVector<HomeOp> homes;
  llvm::StringMap<int64_t> names;
};

/// A new section of instructions of other ones, with the definitions of their buffers.
class SectionCopy {
public:
  /// Stands where `builder` does, and is called "copy". `advance`: micro-batches.
  SectionCopy(mlir::OpBuilder &builder, mlir::Location location, int64_t advance);

  /// `buffers`: of the instructions that share buffers with this one.
  InstructionOpInterface add(InstructionOpInterface instruction, mlir::IRMapping &buffers);
  SectionOp finish();

private:
  void clone(mlir::Operation *op, mlir::IRMapping &buffers);

  mlir::OpBuilder builder;
  SectionOp section;
  llvm::DenseMap<mlir::Attribute, mlir::Value> uses; ///< by home, of which every section has a use of its own
};

} // namespace windlass::flow
