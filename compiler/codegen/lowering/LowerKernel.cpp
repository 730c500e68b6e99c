// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/lowering/LowerKernel.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

void decompose(func::FuncOp kernel) {
  SmallVector<graph::DecomposableOpInterface> composites;
  kernel.walk([&](graph::DecomposableOpInterface op) { composites.push_back(op); });
  for (graph::DecomposableOpInterface op : composites) {
    OpBuilder builder(op);
    op->replaceAllUsesWith(op.decompose(builder));
    op->erase();
  }
  if (!composites.empty())
    decompose(kernel);
}

bool isSupported(Type element) {
  return element.isInteger(1) || element.isInteger(8) || element.isInteger(16) || element.isInteger(32) ||
         element.isInteger(64) || isa<BFloat16Type, Float16Type, Float32Type, Float64Type>(element);
}

LogicalResult checkSignature(func::FuncOp kernel) {
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(), kernel.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return kernel.emitError("kernel '")
             << kernel.getName() << "' has a tensor without static shape: " << type;
    if (!isSupported(tensor.getElementType()))
      return kernel.emitError("kernel '")
             << kernel.getName() << "' has elements no code is generated for: " << type;
  }
  if (!kernel.getBody().hasOneBlock() || kernel.getNumResults() == 0)
    return kernel.emitError("kernel '") << kernel.getName() << "' is not one block with at least one result";
  return success();
}

} // namespace

FailureOr<func::FuncOp> lowerKernel(func::FuncOp kernel, ModuleOp into, Ending ending) {
  if (failed(checkSignature(kernel)))
    return failure();
  decompose(kernel);
  KernelFrame frame(kernel, into);
  const bool forLoops = ending == Ending::Loops;
  auto pad = forLoops ? lowerPad : lowerPadByElement;
  auto embeddingGrad = forLoops ? lowerEmbeddingGrad : lowerEmbeddingGradByBands;
  bool lowered = llvm::TypeSwitch<Operation *, bool>(&kernel.front().front())
                     .Case([&](graph::StackOp op) { return lowerStack(op, frame), true; })
                     .Case([&](graph::PadOp op) { return pad(op, frame), true; })
                     .Case([&](graph::EmbeddingOp op) { return lowerEmbedding(op, frame), true; })
                     .Case([&](graph::EmbeddingGradOp op) { return embeddingGrad(op, frame), true; })
                     .Default([&](Operation *) { return succeeded(lowerLoopOps(kernel, frame)); });
  if (!lowered)
    return failure();
  return frame.function;
}

} // namespace windlass::codegen
