// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces oversized linear layers, tables and logits by sequences over tiles of their parameter.

#include "passes/Graph/TileMatmuls.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/tiles/FlattenRows.h"
#include "passes/Graph/tiles/SampleRow.h"
#include "passes/Graph/tiles/TileValues.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_TILEMATMULS
#include "passes/Graph/Passes.h.inc"

namespace {

class Tiler {
public:
  Tiler(ModuleOp module, TilePlan &plan) : module(module), plan(plan), builder(module.getContext()) {}

  void run() {
    for (auto &[state, cut] : plan.cuts)
      splitState(cast<StateOp>(state), cut);
    for (auto &[function, callsOf] : plan.calls)
      addArguments(cast<func::FuncOp>(function), callsOf.front());
    if (auto sample = module.lookupSymbol<StepOp>("sample"))
      reportOneRow(sample, [&](MatmulOp product) { return tilesOf.contains(product.getB()); });
    for (const TilePlan::TiledChain &chain : plan.chains)
      tileChain(chain, tilesOf);
    for (auto &[value, tiles] : tilesOf)
      tileUsers(value, tiles);
    for (auto &[function, callsOf] : plan.calls)
      dropWhole(cast<func::FuncOp>(function), callsOf);
    for (auto &[state, cut] : plan.cuts) {
      for (ReadOp read : plan.reads[state])
        read.erase();
      state->erase();
    }
  }

private:
  void splitState(StateOp state, Cut cut);
  StateOp tileOf(StateOp state, Cut cut, int64_t number, FlatSymbolRefAttr parameter);
  void addArguments(func::FuncOp function, func::CallOp call);
  void tileUsers(Value value, ArrayRef<Value> tiles);
  void dropWhole(func::FuncOp function, ArrayRef<func::CallOp> callsOf);
  void rewriteCall(func::CallOp call);

  ModuleOp module;
  TilePlan &plan;
  OpBuilder builder;
  TilesOf tilesOf;
};

StateOp Tiler::tileOf(StateOp state, Cut cut, int64_t number, FlatSymbolRefAttr parameter) {
  auto whole = cast<RankedTensorType>(state.getType());
  SmallVector<int64_t> shape(whole.getShape());
  shape[cut.dim] = cut.widthOf(number);
  SmallVector<int64_t> begin(whole.getRank(), 0);
  begin[cut.dim] = cut.begin(number);
  auto slice = SliceAttr::get(builder.getContext(), builder.getDenseI64ArrayAttr(whole.getShape()),
                              builder.getDenseI64ArrayAttr(begin));
  auto tile = StateOp::create(builder, state.getLoc(), (state.getSymName() + ".tile" + Twine(number)).str(),
                              tensorType(shape, whole.getElementType()), state.getRole(), state.getInit(),
                              state.getOriginal(), state.getGroup(), parameter, slice, state.getDecayAttr(),
                              state.getLayer());
  if (std::optional<StateSplit> split = splitOf(state)) // of the tensor; a tile is cut from a rank's part
    setSplit(tile, *split);
  return tile;
}

/// Replaces a state and its master, if any, by tiles, and the reads of the state by reads of the tiles.
void Tiler::splitState(StateOp state, Cut cut) {
  builder.setInsertionPoint(state);
  SmallVector<StateOp> tiles;
  for (int64_t i = 0; i < cut.count(); ++i)
    tiles.push_back(tileOf(state, cut, i, nullptr));
  for (auto other : llvm::make_early_inc_range(module.getOps<StateOp>()))
    if (other.getOf() == state.getSymName()) {
      for (auto [i, tile] : llvm::enumerate(tiles))
        tileOf(other, cut, static_cast<int64_t>(i), FlatSymbolRefAttr::get(StateOp(tile).getSymNameAttr()));
      other.erase();
    }
  for (ReadOp read : plan.reads[state]) {
    builder.setInsertionPoint(read);
    SmallVector<Value> &values = tilesOf[read.getValue()];
    for (StateOp tile : tiles)
      values.push_back(ReadOp::create(builder, read.getLoc(), tile.getType(), tile.getSymName()));
  }
}

/// Adds an argument per tile beside each argument that is cut. All calls pass tiles then; otherwise the plan
/// would cut nothing.
void Tiler::addArguments(func::FuncOp function, func::CallOp call) {
  for (unsigned i = call.getNumOperands(); i-- > 0;) {
    auto passed = tilesOf.find(call.getOperand(i));
    if (passed == tilesOf.end())
      continue;
    SmallVector<Type> types = llvm::to_vector_of<Type>(ValueRange(passed->second).getTypes());
    for (auto [tile, type] : llvm::enumerate(types))
      (void)function.insertArgument(i + 1 + tile, type, {}, function.getLoc());
    tilesOf[function.getArgument(i)] =
        llvm::to_vector_of<Value>(function.getArguments().slice(i + 1, types.size()));
  }
}

void Tiler::tileUsers(Value value, ArrayRef<Value> tiles) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    if (auto matmul = dyn_cast<MatmulOp>(user))
      tileProduct(matmul, tiles);
    else if (auto embedding = dyn_cast<EmbeddingOp>(user))
      tileLookup(embedding, tiles);
  }
}

void Tiler::dropWhole(func::FuncOp function, ArrayRef<func::CallOp> callsOf) {
  for (unsigned i = function.getNumArguments(); i-- > 0;)
    if (tilesOf.contains(function.getArgument(i)))
      (void)function.eraseArgument(i);
  for (func::CallOp call : callsOf)
    rewriteCall(call);
}

void Tiler::rewriteCall(func::CallOp call) {
  SmallVector<Value> operands;
  for (Value operand : call.getOperands()) {
    if (auto tiles = tilesOf.find(operand); tiles != tilesOf.end())
      llvm::append_range(operands, tiles->second);
    else
      operands.push_back(operand);
  }
  call->setOperands(operands);
}

struct TileMatmulsPass : impl::TileMatmulsBase<TileMatmulsPass> {
  using TileMatmulsBase::TileMatmulsBase;

  void runOnOperation() override {
    if (limit < 0 || activation < 0) {
      getOperation().emitError("the limits of a tile are numbers of bytes, not ")
          << limit.getValue() << " and " << activation.getValue();
      return signalPassFailure();
    }
    if (limit > 0 || activation > 0)
      flattenRows(getOperation());
    TilePlan plan(getOperation(), {limit, activation});
    if (std::optional<LeastTile> least = plan.leastTile()) {
      getOperation().emitError(least->ofParameter ? "parameter \"" : "what lies behind parameter \"")
          << least->parameter << "\" cannot be tiled to "
          << (least->ofParameter ? limit : activation).getValue() << " bytes: the smallest tile has "
          << least->bytes;
      return signalPassFailure();
    }
    Tiler(getOperation(), plan).run();
  }
};

} // namespace

namespace {

/// The module as the pass sees it when it looks for what to cut.
OwningOpRef<ModuleOp> flattened(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  flattenRows(*copy);
  return copy;
}

} // namespace

int64_t largestToTile(ModuleOp module) {
  constexpr int64_t kNoLimit = int64_t(1) << 40; // more elements than a tensor has
  return TilePlan(*flattened(module), {kNoLimit, kNoLimit}).largest();
}

std::optional<LeastTile> leastTileOver(ModuleOp module, const TileLimits &limits) {
  return TilePlan(*flattened(module), limits).leastTile();
}

std::set<std::string> parametersOver(ModuleOp module, const TileLimits &limits) {
  OwningOpRef<ModuleOp> copy = flattened(module);
  const TilePlan plan(*copy, limits);
  std::set<std::string> names;
  for (auto state : copy->getOps<StateOp>()) {
    auto type = cast<RankedTensorType>(state.getType());
    const int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    if (state.getRole() == Role::Parameter && type.getRank() > 1 && bytes > limits.parameter &&
        !plan.cuts.contains(state))
      names.insert(state.getOriginal().str());
  }
  return names;
}

} // namespace windlass::graph
