// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/vectors/PieceSums.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace windlass::codegen {

LogicalResult PieceSums::addBuffers(func::FuncOp function, linalg::GenericOp reduction, int64_t results) {
  const int64_t shape[] = {count, results};
  for (Value output : reduction.getDpsInits()) {
    Type sum = cast<MemRefType>(output.getType()).getElementType();
    const unsigned at = function.getNumArguments() - 2; // before the range
    if (failed(function.insertArgument(at, MemRefType::get(shape, sum), {}, function.getLoc())))
      return failure();
    buffers.push_back(function.getArgument(at));
  }
  return success();
}

void PieceSums::store(OpBuilder &builder, Location loc, ValueRange sums, Value piece, Value result) const {
  for (auto [sum, buffer] : llvm::zip_equal(sums, buffers))
    memref::StoreOp::create(builder, loc, sum, buffer, ValueRange{piece, result});
}

SmallVector<Value> PieceSums::load(OpBuilder &builder, Location loc, Value piece, Value result) const {
  return llvm::map_to_vector(buffers, [&](Value buffer) -> Value {
    return memref::LoadOp::create(builder, loc, buffer, ValueRange{piece, result});
  });
}

} // namespace windlass::codegen
