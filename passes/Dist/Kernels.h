// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Kernels.h - outlined kernels ==========================================//
//
// Duty: one `func.func` with `dist.kernel` per distinct computation of a module.
// Threads, ownership: as MLIR's; a table lives as long as one pass runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Dist/IR/DistDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace windlass::dist {

/// Which argument of a kernel it adds its result to, if any.
std::optional<unsigned> ontoArgument(mlir::func::FuncOp kernel);

/// Whether a library computes it; code is generated for the others.
bool isLibraryKernel(mlir::func::FuncOp kernel);

class KernelTable {
public:
  /// Knows the kernels that the module already has when one is first asked for.
  explicit KernelTable(mlir::ModuleOp module) : module(module) {}

  /// The kernel that computes what `op` computes, of whatever operands. Its name: the op's and a hash of its
  /// content.
  mlir::func::FuncOp getOrCreate(mlir::Operation *op);

  /// 1-D elementwise kernels that later levels need.
  mlir::func::FuncOp add(mlir::RankedTensorType a, mlir::RankedTensorType b);  ///< a + b in the type of a
  mlir::func::FuncOp convert(mlir::RankedTensorType from, mlir::Type element); ///< widened, rounded or copied
  mlir::func::FuncOp zero(mlir::Type element, int64_t elements);
  /// The f64 sums of squares of `rows` rows of `elements` values; of one row a tensor of rank 0.
  mlir::func::FuncOp sumOfSquares(mlir::Type element, int64_t elements, int64_t rows = 1);
  /// The first `columnsRead` columns of a table of doubles as rows, each number `copies` times.
  mlir::func::FuncOp spreadColumns(int64_t rows, int64_t columns, int64_t columnsRead, int64_t copies);

private:
  /// Two ops are equal if they compute the same: names, properties, types and bodies are.
  struct SameComputation : llvm::DenseMapInfo<mlir::Operation *> {
    static unsigned getHashValue(const mlir::Operation *op);
    static bool isEqual(const mlir::Operation *a, const mlir::Operation *b);
  };

  void readModule();
  mlir::func::FuncOp build(llvm::ArrayRef<mlir::Type> inputs,
                           llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange)> body);

  mlir::ModuleOp module;
  bool isRead = false;
  llvm::DenseSet<mlir::Operation *, SameComputation> computations; ///< what the kernels are of
  llvm::DenseMap<mlir::Type, mlir::func::FuncOp> squares; ///< sums of squares, by the type of their argument
};

} // namespace windlass::dist
