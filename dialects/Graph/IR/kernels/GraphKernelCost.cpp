// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Graph/IR/kernels/GraphKernelCost.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/decompositions/AttentionScores.h"

using namespace mlir;

namespace windlass::graph {
namespace {

double bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  unsigned bits = std::max(8u, tensor.getElementTypeBitWidth());
  return static_cast<double>(tensor.getNumElements()) * bits / 8;
}

} // namespace

int64_t extentOf(Operation *op) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (isa<EmbeddingGradOp>(op)) // its launches range over columns
    return result.getDimSize(1);
  return result.getRank() > 0 ? result.getDimSize(0) : 1;
}

KernelCost describeOp(Operation *op) {
  KernelCost cost;
  cost.extent = extentOf(op);
  cost.flops = cast<IterationSpaceOpInterface>(op).getFlops();
  for (Type type : op->getResultTypes())
    cost.bytes += bytesOf(type);
  for (Value operand : op->getOperands()) {
    // Only the rows of the table that are looked up are read.
    auto embedding = dyn_cast<EmbeddingOp>(op);
    bool isTable = embedding && embedding.getTable() == operand;
    cost.bytes += bytesOf(isTable ? embedding.getResult().getType() : operand.getType());
  }
  return cost;
}

FailureOr<Operation *> computationOf(func::FuncOp kernel) {
  Operation &op = kernel.front().front();
  if (!isa<IterationSpaceOpInterface>(op))
    return kernel.emitError("kernel '")
           << kernel.getName() << "' begins with '" << op.getName() << "', which does not say its loops";
  return &op;
}

FailureOr<KernelCost> describeKernel(func::FuncOp kernel) {
  FailureOr<Operation *> op = computationOf(kernel);
  if (failed(op))
    return failure();
  KernelCost cost = describeOp(*op);
  if (auto onChip = kernel->getAttrOfType<DenseI64ArrayAttr>(kOnChip))
    cost.bytes -= bytesAt(*op, onChip.asArrayRef());
  return cost;
}

double bytesAt(Operation *op, ArrayRef<int64_t> positions) {
  double bytes = 0;
  for (int64_t position : positions) {
    const auto i = static_cast<unsigned>(position);
    bytes += bytesOf(i < op->getNumOperands() ? op->getOperand(i).getType()
                                              : op->getResult(i - op->getNumOperands()).getType());
  }
  return bytes;
}

} // namespace windlass::graph
