#include "compiler/codegen/Codegen.h"

#include "dialects/Graph/IR/GraphDialect.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

double bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  unsigned bits = std::max(8u, tensor.getElementTypeBitWidth());
  return static_cast<double>(tensor.getNumElements()) * bits / 8;
}

} // namespace

FailureOr<KernelCost> describeKernel(func::FuncOp kernel) {
  auto op = dyn_cast<graph::IterationSpaceOpInterface>(kernel.front().front());
  if (!op)
    return kernel.emitError("kernel '")
           << kernel.getName() << "' begins with '" << kernel.front().front().getName()
           << "', which does not say its loops";
  KernelCost cost;
  cost.flops = op.getFlops();
  if (isa<graph::EmbeddingGradOp>(op)) // its ranges are columns
    cost.extent = cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1);
  else if (auto result = cast<RankedTensorType>(op->getResult(0).getType()); result.getRank() > 0)
    cost.extent = result.getDimSize(0);
  for (Type type : kernel.getResultTypes())
    cost.bytes += bytesOf(type);
  for (BlockArgument argument : kernel.getArguments()) {
    // Of a table only the rows that are looked up are read.
    auto embedding = dyn_cast<graph::EmbeddingOp>(op.getOperation());
    bool isTable = embedding && embedding.getTable() == argument;
    cost.bytes += bytesOf(isTable ? embedding.getResult().getType() : argument.getType());
  }
  return cost;
}

} // namespace windlass::codegen
