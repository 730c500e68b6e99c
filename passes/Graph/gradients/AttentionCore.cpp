// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/gradients/AttentionCore.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace windlass::graph {
namespace {

bool isBatchedProduct(Operation *op) {
  auto matmul = dyn_cast_or_null<MatmulOp>(op);
  return matmul && cast<RankedTensorType>(matmul.getResult().getType()).getRank() > 2;
}

/// Adds to `path` the ops on ways of maps and reshapes from a batched product to `value`, both ends included.
/// False if there is no such way. `known`: the answers so far, by op.
bool climb(Value value, OpSet &path, llvm::DenseMap<Operation *, bool> &known) {
  Operation *op = value.getDefiningOp();
  if (auto before = known.find(op); before != known.end())
    return before->second;
  bool found = isBatchedProduct(op);
  if (isa_and_nonnull<MapOp, ReshapeOp>(op))
    for (Value operand : op->getOperands())
      found |= climb(operand, path, known);
  if (found)
    path.insert(op);
  return known[op] = found;
}

/// Adds the maps and reshapes that read `op`, and their readers.
void descend(Operation *op, OpSet &core) {
  for (Operation *user : op->getUsers())
    if (isa<MapOp, ReshapeOp>(user) && core.insert(user).second)
      descend(user, core);
}

} // namespace

OpSet findAttentionCore(Block &block) {
  OpSet core;
  for (auto softmax : block.getOps<SoftmaxOp>()) {
    OpSet path;
    llvm::DenseMap<Operation *, bool> known;
    if (!climb(softmax->getOperand(0), path, known))
      continue;
    core.insert(path.begin(), path.end());
    core.insert(softmax);
    descend(softmax, core);
  }
  return core;
}

} // namespace windlass::graph
