// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LowerKernel.h - a kernel on tensors becomes linalg on slices of buffers =//
//
// Duty: composites are decomposed into maps and reductions; those become loops over
// rows around linalg.generic on the slices of one row (docs/codegen.md).
// Errors: diagnostics on the kernel.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/codegen/lowering/KernelFrame.h"
#include "dialects/Graph/IR/GraphDialect.h"

namespace windlass::codegen {

/// What a function is made for: one processor's thread, which may write over what it wrote, or a device's
/// threads, each of which makes its own elements.
enum class Ending { Loops, Threads };

/// Adds to `into` a function of the kernel's name on buffers. Decomposes the kernel in place.
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
