// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerKernel.h - lowers kernels to linalg on slices of buffers =========//
//
// Duty: decomposes composites to maps and reductions, and lowers these to loops over rows around
// linalg.generic on the slices of one row (docs/codegen.md). Errors: diagnostics on the kernel.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/lowering/KernelFrame.h"
#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::codegen {

/// The target of a function: one thread of a processor, which may overwrite its results; or the threads of a
/// device, each of which makes its own elements.
enum class Ending { Loops, Threads };

/// Adds a function on buffers, with the kernel's name, to `into`. Decomposes the kernel in place.
mlir::FailureOr<mlir::func::FuncOp> lowerKernel(mlir::func::FuncOp kernel, mlir::ModuleOp into,
                                                Ending ending = Ending::Loops);

/// Kernels of maps and reductions.
mlir::LogicalResult lowerLoopOps(mlir::func::FuncOp kernel, KernelFrame &frame);

void lowerStack(graph::StackOp op, KernelFrame &frame);
void lowerPad(graph::PadOp op, KernelFrame &frame);
void lowerPadByElement(graph::PadOp op, KernelFrame &frame);
void lowerEmbedding(graph::EmbeddingOp op, KernelFrame &frame);
void lowerEmbeddingGrad(graph::EmbeddingGradOp op, KernelFrame &frame);
void lowerEmbeddingGradByBands(graph::EmbeddingGradOp op, KernelFrame &frame);

} // namespace windlass::codegen
