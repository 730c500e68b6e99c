// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Staging.h - buffers on the way between tiers ========================//
//
// Duty: writes the transfers that bring bytes from one tier to another through the
// tiers between them, with the staging buffers they need.
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

  /// Writes before / after `op`, with its origin; what is staged for an op of one owner is that one's.
  void at(InstructionOpInterface op);
  void after(mlir::Operation *op);
  void origin(OriginAttr origin, llvm::StringRef what);

  /// The bytes of `buffer` in `tier`, moved hop by hop.
  mlir::Value bring(mlir::Value buffer, Tier tier, BufferClass cls = BufferClass::Staging);
  /// Room in `tier` for what will be sent to `buffer`; on the way to NVMe with the rest of its blocks.
  mlir::Value room(mlir::Value buffer, Tier tier);
  /// A new buffer in `tier`, as large as `buffer`.
  mlir::Value allocate(mlir::Value buffer, Tier tier, BufferClass cls = BufferClass::Staging);
  /// Moves `staged` to `buffer`, hop by hop.
  void send(mlir::Value staged, mlir::Value buffer);
  /// A small buffer in `tier`; brought once per section.
  mlir::Value scalar(mlir::Value buffer, Tier tier);

  mlir::Value view(mlir::Value buffer, int64_t offset, int64_t bytes, llvm::ArrayRef<int64_t> strides = {});
  void launch(llvm::StringRef kernel, mlir::ValueRange inputs, mlir::ValueRange outputs, int64_t end,
              OriginAttr origin);

private:
  mlir::Value allocateBytes(mlir::Value buffer, int64_t bytes, Tier tier, BufferClass cls);
  void transfer(TransferKind kind, mlir::Value source, mlir::Value target);
  /// NVMe moves whole 4 KiB blocks: the aligned range around `buffer`, and where it starts in it.
  mlir::Value aligned(mlir::Value buffer, int64_t &start);
  /// Room on the host for what goes from `buffer` to NVMe: whole blocks, the last of which ends in zeros.
  mlir::Value blocksOf(mlir::Value buffer, BufferClass cls);
  std::string nameOf(mlir::Value buffer);

  SectionOp section;
  dist::KernelTable &kernels;
  mlir::OpBuilder builder;
  OriginAttr current;
  int64_t owner = -1; ///< of the op that is staged for
  llvm::DenseMap<std::pair<mlir::Value, int>, mlir::Value> scalars;
};

} // namespace windlass::flow
