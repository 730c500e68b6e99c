// Replaces oversized linear layers by sequences over tiles of their parameter.

#include "passes/Graph/TileMatmuls.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "passes/Graph/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_TILEMATMULS
#include "passes/Graph/Passes.h.inc"

namespace {

/// How one parameter is cut.
struct Tiling {
  std::optional<unsigned> dim; ///< the output's: 1 of [in, out], 0 of [out, in] that is used transposed
  int64_t count = 0;
  SmallVector<StateOp> tiles;
};

int64_t bytesOf(RankedTensorType type) { return type.getNumElements() * type.getElementTypeBitWidth() / 8; }

class Tiler {
public:
  Tiler(ModuleOp module, int64_t limit) : module(module), limit(limit), builder(module.getContext()) {}

  /// Of the parameters to tile, the one whose single output is largest.
  std::optional<LayerOutput> largestOutput() {
    findTileable();
    std::optional<LayerOutput> largest;
    for (auto &[op, tiling] : tilings) {
      auto state = cast<StateOp>(op);
      int64_t bytes = bytesOf(state.getType()) / state.getType().getDimSize(*tiling.dim);
      if (!largest || bytes > largest->bytes)
        largest = {state.getOriginal().str(), bytes};
    }
    return largest;
  }

  LogicalResult run() {
    findTileable();
    for (auto &[state, tiling] : tilings)
      if (failed(countTiles(cast<StateOp>(state), tiling)))
        return failure();
    for (auto &[state, tiling] : tilings)
      splitState(cast<StateOp>(state), tiling);
    for (auto &[function, callsOf] : calls)
      rewriteFunction(cast<func::FuncOp>(function), callsOf);
    for (auto &[state, tiling] : tilings) {
      for (ReadOp read : reads[state])
        read.erase();
      state->erase();
    }
    return success();
  }

private:
  void findTileable();
  bool canTile(StateOp state, Tiling &tiling);
  std::optional<unsigned> dimensionOf(Value weight);
  std::optional<unsigned> dimensionOf(OpOperand &use);
  LogicalResult countTiles(StateOp state, Tiling &tiling);
  void splitState(StateOp state, Tiling &tiling);
  void rewriteFunction(func::FuncOp function, ArrayRef<func::CallOp> callsOf);
  void rewriteCall(func::CallOp call);
  void tileMatmuls(Value weight, ValueRange tiles);

  func::FuncOp calleeOf(func::CallOp call) {
    return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  }
  StateOp stateOf(ReadOp read) {
    return SymbolTable::lookupNearestSymbolFrom<StateOp>(read, read.getStateAttr());
  }
  bool isTiled(Value value) {
    auto read = value.getDefiningOp<ReadOp>();
    return read && tilings.contains(stateOf(read));
  }

  ModuleOp module;
  int64_t limit;
  OpBuilder builder;
  llvm::MapVector<Operation *, SmallVector<ReadOp>> reads;       ///< by state
  llvm::MapVector<Operation *, SmallVector<func::CallOp>> calls; ///< by function
  llvm::MapVector<Operation *, Tiling> tilings;                  ///< by state
  llvm::DenseMap<Value, SmallVector<Value>> tileReads;           ///< by the read of the whole
};

/// Starts from all large parameters and drops those with a use that cannot be tiled, until none is left: a
/// function argument is tiled only if every call passes it a tiled parameter.
void Tiler::findTileable() {
  module.walk([&](ReadOp read) { reads[stateOf(read)].push_back(read); });
  module.walk([&](func::CallOp call) { calls[calleeOf(call)].push_back(call); });
  for (auto state : module.getOps<StateOp>())
    if (state.getRole() == Role::Parameter && reads.contains(state) && bytesOf(state.getType()) > limit)
      tilings[state];
  size_t before;
  do {
    before = tilings.size();
    tilings.remove_if([&](auto &entry) { return !canTile(cast<StateOp>(entry.first), entry.second); });
  } while (tilings.size() != before);
}

bool Tiler::canTile(StateOp state, Tiling &tiling) {
  for (ReadOp read : reads[state]) {
    std::optional<unsigned> dim = dimensionOf(read.getValue());
    if (!dim || (tiling.dim && tiling.dim != dim))
      return false;
    tiling.dim = dim;
  }
  return true;
}

/// The output's dimension of a weight; nothing if its uses differ, or one is no linear layer.
std::optional<unsigned> Tiler::dimensionOf(Value weight) {
  std::optional<unsigned> common;
  for (OpOperand &use : weight.getUses()) {
    std::optional<unsigned> dim = dimensionOf(use);
    if (!dim || (common && common != dim))
      return std::nullopt;
    common = dim;
  }
  return common;
}

std::optional<unsigned> Tiler::dimensionOf(OpOperand &use) {
  if (auto call = dyn_cast<func::CallOp>(use.getOwner())) {
    func::FuncOp callee = calleeOf(call);
    unsigned argument = use.getOperandNumber();
    if (callee.isExternal() ||
        !llvm::all_of(calls[callee], [&](func::CallOp other) { return isTiled(other.getOperand(argument)); }))
      return std::nullopt;
    return dimensionOf(callee.getArgument(argument));
  }
  auto matmul = dyn_cast<MatmulOp>(use.getOwner());
  if (!matmul || use.getOperandNumber() != 1 || typeOf(matmul.getResult()).getRank() != 2)
    return std::nullopt;
  return matmul.getTransposeB() ? 0 : 1;
}

/// As few equal tiles as the limit allows.
LogicalResult Tiler::countTiles(StateOp state, Tiling &tiling) {
  int64_t extent = state.getType().getDimSize(*tiling.dim), bytes = bytesOf(state.getType());
  for (tiling.count = 1; tiling.count <= extent; ++tiling.count)
    if (extent % tiling.count == 0 && bytes / tiling.count <= limit)
      return success();
  return state.emitOpError("cannot be tiled to ")
         << limit << " bytes: one of its " << extent << " outputs has " << bytes / extent;
}

void Tiler::splitState(StateOp state, Tiling &tiling) {
  SmallVector<int64_t> shape(state.getType().getShape());
  shape[*tiling.dim] /= tiling.count;
  builder.setInsertionPoint(state);
  auto whole = builder.getDenseI64ArrayAttr(state.getType().getShape());
  auto tileOf = [&](StateOp split, int64_t i, FlatSymbolRefAttr parameter) {
    auto slice = SliceAttr::get(builder.getContext(), whole, *tiling.dim, i * shape[*tiling.dim]);
    return StateOp::create(builder, state.getLoc(), (split.getSymName() + ".tile" + Twine(i)).str(),
                           tensorType(shape, split.getType().getElementType()), split.getRole(),
                           split.getInit(), split.getOriginal(), split.getGroup(), parameter, slice,
                           split.getLayer());
  };
  for (int64_t i = 0; i < tiling.count; ++i)
    tiling.tiles.push_back(tileOf(state, i, nullptr));
  for (auto other : llvm::make_early_inc_range(module.getOps<StateOp>()))
    if (other.getOf() == state.getSymName()) { // its master
      for (auto [i, tile] : llvm::enumerate(tiling.tiles))
        tileOf(other, static_cast<int64_t>(i), FlatSymbolRefAttr::get(StateOp(tile).getSymNameAttr()));
      other.erase();
    }
  for (ReadOp read : reads[state]) {
    builder.setInsertionPoint(read);
    SmallVector<Value> &tiles = tileReads[read.getValue()];
    for (StateOp tile : tiling.tiles)
      tiles.push_back(ReadOp::create(builder, read.getLoc(), tile.getType(), tile.getSymName()));
    tileMatmuls(read.getValue(), tiles);
  }
}

/// Replaces the products with `weight` by products with its tiles, side by side.
void Tiler::tileMatmuls(Value weight, ValueRange tiles) {
  for (Operation *user : llvm::make_early_inc_range(weight.getUsers())) {
    auto matmul = dyn_cast<MatmulOp>(user);
    if (!matmul)
      continue;
    builder.setInsertionPoint(matmul);
    Location loc = matmul.getLoc();
    RankedTensorType whole = typeOf(matmul.getResult());
    int64_t rows = whole.getDimSize(0), count = tiles.size(), columns = whole.getDimSize(1) / count;
    Type element = whole.getElementType();
    SmallVector<Value> parts;
    for (Value tile : tiles)
      parts.push_back(MatmulOp::create(builder, loc, tensorType({rows, columns}, element), matmul.getA(),
                                       tile, matmul.getTransposeA(), matmul.getTransposeB()));
    Value stacked = StackOp::create(builder, loc, tensorType({rows, count, columns}, element), parts,
                                    loopsMap(builder.getContext(), 3, {0, 2}), /*axis=*/1);
    matmul.replaceAllUsesWith(buildReshape(builder, loc, stacked, whole.getShape()));
    matmul.erase();
  }
}

/// The arguments that are tiled become as many as there are tiles. All calls agree, or nothing would be
/// tiled.
void Tiler::rewriteFunction(func::FuncOp function, ArrayRef<func::CallOp> callsOf) {
  func::CallOp first = callsOf.front();
  for (unsigned i = function.getNumArguments(); i-- > 0;) {
    auto tiles = tileReads.find(first.getOperand(i));
    if (tiles == tileReads.end())
      continue;
    unsigned position = i + 1;
    for (Value tile : tiles->second)
      (void)function.insertArgument(position++, tile.getType(), {}, function.getLoc());
    tileMatmuls(function.getArgument(i), function.getArguments().slice(i + 1, tiles->second.size()));
    (void)function.eraseArgument(i);
  }
  for (func::CallOp call : callsOf)
    rewriteCall(call);
}

void Tiler::rewriteCall(func::CallOp call) {
  SmallVector<Value> operands;
  for (Value operand : call.getOperands()) {
    if (auto tiles = tileReads.find(operand); tiles != tileReads.end())
      llvm::append_range(operands, tiles->second);
    else
      operands.push_back(operand);
  }
  call->setOperands(operands);
}

struct TileMatmulsPass : impl::TileMatmulsBase<TileMatmulsPass> {
  using TileMatmulsBase::TileMatmulsBase;

  void runOnOperation() override {
    if (limit < 0) {
      getOperation().emitError("the limit of a tile is a number of bytes, not ") << limit.getValue();
      return signalPassFailure();
    }
    if (limit > 0 && failed(Tiler(getOperation(), limit).run()))
      signalPassFailure();
  }
};

} // namespace

std::optional<LayerOutput> outputOver(ModuleOp module, int64_t limit) {
  std::optional<LayerOutput> largest = Tiler(module, limit).largestOutput();
  return largest && largest->bytes > limit ? largest : std::nullopt;
}

} // namespace windlass::graph
