// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Codegen.h - kernels of the graph level become one shared object =======//
//
// Duty: turns kernels (a func.func on static tensors whose body is one graph op
// and a return) into a shared object with one C symbol per kernel,
//
//   void NAME(void *const *args, int64_t begin, int64_t end);
//
// `args` are the pointers to the arguments, then to the results: contiguous,
// row-major, 64-byte aligned. [begin, end) is a range of the outermost parallel
// loop: dimension 0 of the results (columns, for embedding_grad). A kernel on one dimension runs for any
// begin <= end, independent of the length in its type. However a range is cut into launches, the bits are
// equal. A result may be in the buffer of an argument of equal shape and identity map.
//
// A kernel that adds up a row in two phases (graph::kPartials) has two more functions, which together compute
// the same on many threads (runtime/base/PieceSymbols.h); their arguments for partial sums follow the
// results.
//
// Errors: diagnostics on the kernel's func. Determinism: equal input, equal file.
// Threads: calls on different MLIR contexts may run at once. A call loads dialects into the
// context of its kernels, so passes must not call it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/object/KernelCache.h"
#include "compiler/codegen/object/ObjectFolder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace windlass::codegen {

/// The version of the order of additions in generated kernels, for the numerics record (docs/numerics.md,
/// "Inside a kernel").
inline constexpr int kKernelOrder = 2;

/// Where object files of equal kernels may be found, and are kept. Both are the caller's.
struct KnownObjects {
  KernelCache *cache = nullptr; ///< of this process, an object file per kernel; null: one of all kernels
  const ObjectFolder *folder = nullptr; ///< of earlier processes; the result is the same without it
};

/// The instruction set to generate for: "x86-64-v3" (AVX2) or "x86-64-v4" (AVX-512).
struct TargetOptions {
  std::string cpu;                    ///< never empty
  std::string symbol = {}, text = {}; ///< a text that the file exports, zero-terminated; no symbol: none
  KnownObjects known = {};
};

/// Writes one shared object (none for no kernels). The kernels stay as they are.
mlir::LogicalResult generateKernels(llvm::ArrayRef<mlir::func::FuncOp> kernels, const TargetOptions &options,
                                    llvm::StringRef sharedObjectPath);

} // namespace windlass::codegen
