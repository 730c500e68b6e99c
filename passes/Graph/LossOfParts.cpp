// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/LossOfParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace windlass::graph {

SmallVector<Value> lossOfParts(const Scalars &s, ValueRange losses, ValueRange lses,
                               llvm::function_ref<Value(unsigned part)> hasLabel) {
  Value most = lses.front();
  for (Value one : lses.drop_front())
    most = arith::MaximumFOp::create(s.builder, s.loc, most, one);
  Value sum = s.exp(s.sub(lses.front(), most));
  for (Value one : lses.drop_front())
    sum = s.add(sum, s.exp(s.sub(one, most)));
  Value whole = s.add(most, s.log(sum)), result = s.like(whole, 0.0);
  for (unsigned part = 0; part < lses.size(); ++part) {
    Value isHere = hasLabel(part);
    result = s.select(isHere, s.add(s.sub(whole, lses[part]), losses[part]), result);
  }
  return {result, whole};
}

} // namespace windlass::graph
