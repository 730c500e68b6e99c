// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Staging.h - buffers on the way between tiers ==========================//
//
// Duty: writes transfers between tiers. Bytes move hop by hop, device <-> host <-> NVMe, through a staging
// buffer in every tier between.
// Threads, ownership: as MLIR's; one object per section.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Flow/IR/FlowDialect.h"
#include "mlir/IR/Builders.h"
#include "passes/Dist/Kernels.h"

namespace windlass::flow {

class Staging {
public:
  /// `kernels`: of the section's module.
  Staging(SectionOp section, dist::KernelTable &kernels)
      : section(section), kernels(kernels), builder(section.getContext()) {}

  /// Sets the place of the next transfers, before or after `op`, and their origin. Staging buffers of an op
  /// that one owner executes are that owner's.
  void at(InstructionOpInterface op);
  void after(mlir::Operation *op);
  void origin(OriginAttr origin, llvm::StringRef what);

  /// A copy of `buffer` in `tier`, and the transfers that make it.
  mlir::Value bring(mlir::Value buffer, Tier tier, BufferClass cls = BufferClass::Staging);
  /// A buffer in `tier` whose bytes will be sent to `buffer`. On its way to NVMe it holds the rest of its
  /// first and last block, too.
  mlir::Value room(mlir::Value buffer, Tier tier);
  /// A new buffer in `tier`, as large as `buffer`.
  mlir::Value allocate(mlir::Value buffer, Tier tier, BufferClass cls = BufferClass::Staging);
  /// Moves `staged` to `buffer`, hop by hop.
  void send(mlir::Value staged, mlir::Value buffer);
  /// Moves `staged`, of the device, to the start of `home`, which has whole blocks and holds nothing else.
  void put(mlir::Value staged, mlir::Value home);
  /// A copy of a small buffer in `tier`, which is made once per section.
  mlir::Value scalar(mlir::Value buffer, Tier tier);

  mlir::Value view(mlir::Value buffer, int64_t offset, int64_t bytes, llvm::ArrayRef<int64_t> strides = {});
  void launch(llvm::StringRef kernel, mlir::ValueRange inputs, mlir::ValueRange outputs, int64_t end,
              OriginAttr origin);

private:
  mlir::Value allocateBytes(mlir::Value buffer, int64_t bytes, Tier tier, BufferClass cls);
  void transfer(TransferKind kind, mlir::Value source, mlir::Value target);
  /// The range of whole 4 KiB blocks around `buffer`, which NVMe moves. `start`: of `buffer` in the range.
  mlir::Value aligned(mlir::Value buffer, int64_t &start);
  /// A host buffer for bytes that go from `buffer` to NVMe: whole blocks, the last of which is filled with
  /// zeros.
  mlir::Value blocksOf(mlir::Value buffer, BufferClass cls);
  std::string nameOf(mlir::Value buffer);

  SectionOp section;
  dist::KernelTable &kernels;
  mlir::OpBuilder builder;
  OriginAttr current;
  int64_t owner = -1; ///< of the op whose operands are staged; -1: every rank
  llvm::DenseMap<std::pair<mlir::Value, int>, mlir::Value> scalars;
};

} // namespace windlass::flow
