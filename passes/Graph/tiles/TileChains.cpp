// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/tiles/TileChains.h"

#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;

namespace windlass::graph {

bool readsElements(MapOp map, unsigned input) {
  return typeOf(map.getInputs()[input]).getRank() == 2 && map.getMapValues()[input].isIdentity();
}

bool readsColumns(MapOp map, unsigned input) {
  return map.getMapValues()[input] == loopsMap(map.getContext(), 2, {1});
}

int64_t Chain::columns() const { return typeOf(wide.front()).getDimSize(1); }

int64_t Chain::columnBytes() const {
  int64_t bits = 0;
  for (Value value : wide)
    bits = std::max<int64_t>(bits, typeOf(value).getElementTypeBitWidth());
  return typeOf(wide.front()).getDimSize(0) * bits / 8;
}

namespace {

class ChainFinder {
public:
  ChainFinder(MatmulOp start, llvm::function_ref<bool(Value)> isWeight)
      : block(start->getBlock()), type(typeOf(start.getResult())), isWeight(isWeight) {}

  std::optional<Chain> find(MatmulOp start) {
    if (!isStart(start) || !grow(start.getResult()) || !end || chain.starts.empty())
      return std::nullopt;
    ops.insert(end);
    chain.ops.assign(ops.begin(), ops.end());
    llvm::sort(chain.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    if (chain.ops.back() != end)
      return std::nullopt;
    return std::move(chain);
  }

private:
  bool isStart(Operation *op) {
    auto matmul = dyn_cast_or_null<MatmulOp>(op);
    return matmul && typeOf(matmul.getResult()).getRank() == 2 && !matmul.getOnto() &&
           isWeight(matmul.getB()) && matmul.getA() != matmul.getB();
  }

  /// Adds `value` to the chain, with its producer and its readers. False: one of them cannot be in a chain.
  bool grow(Value value) {
    if (!chain.wide.insert(value))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != block || typeOf(value).getShape() != type.getShape())
      return false;
    if (isStart(op)) {
      if (ops.insert(op))
        chain.starts.push_back(cast<MatmulOp>(op));
    } else if (auto map = dyn_cast<MapOp>(op); !map || !take(map)) {
      return false;
    }
    return llvm::all_of(value.getUses(), [&](OpOperand &use) { return takeUse(use); });
  }

  bool takeUse(OpOperand &use) {
    Operation *user = use.getOwner();
    if (user->getBlock() != block)
      return false;
    if (auto map = dyn_cast<MapOp>(user))
      return readsElements(map, use.getOperandNumber()) && take(map);
    auto matmul = dyn_cast<MatmulOp>(user);
    auto loss = dyn_cast<CrossEntropyOp>(user);
    bool sums = use.getOperandNumber() == 0 &&
                (matmul ? isStart(matmul) && !matmul.getTransposeA() : loss && loss.getSmoothing().isZero());
    return sums && (!end || end == user) && (end = user);
  }

  /// Adds a map to the chain. False: it has another shape.
  bool take(MapOp map) {
    if (!ops.insert(map))
      return true;
    if (typeOf(map.getResult(0)).getShape() != type.getShape())
      return false;
    for (unsigned i = 0; i < map.getInputs().size(); ++i)
      if (readsElements(map, i) && comesFromStart(map.getInputs()[i]) && !grow(map.getInputs()[i]))
        return false;
    return llvm::all_of(map.getResults(), [&](Value result) { return grow(result); });
  }

  /// Whether maps make a value from the product of a start. Other matrices of the shape are no part of the
  /// chain, which reads them at the columns of a tile.
  bool comesFromStart(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != block || typeOf(value).getShape() != type.getShape())
      return false;
    if (isStart(op))
      return true;
    auto map = dyn_cast<MapOp>(op);
    return map && llvm::any_of(llvm::seq<unsigned>(0, map.getInputs().size()), [&](unsigned i) {
             return readsElements(map, i) && comesFromStart(map.getInputs()[i]);
           });
  }

  Block *block;
  RankedTensorType type;
  llvm::function_ref<bool(Value)> isWeight;
  Chain chain;
  llvm::SetVector<Operation *> ops;
  Operation *end = nullptr;
};

} // namespace

std::optional<Chain> findChain(MatmulOp start, llvm::function_ref<bool(Value)> isWeight) {
  return ChainFinder(start, isWeight).find(start);
}

} // namespace windlass::graph
