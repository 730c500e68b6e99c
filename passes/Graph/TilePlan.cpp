#include "passes/Graph/TilePlan.h"

#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;

namespace windlass::graph {
namespace {

int64_t bytesOf(StateOp state) {
  auto type = cast<RankedTensorType>(state.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

int64_t rankOf(Operation *state) { return cast<RankedTensorType>(cast<StateOp>(state).getType()).getRank(); }

func::FuncOp calleeOf(func::CallOp call) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
}

} // namespace

TilePlan::TilePlan(ModuleOp module, const TileLimits &limits) : module(module), limits(limits) {
  if (limits.parameter == 0 && limits.activation == 0)
    return;
  collect();
  dropUntileable();
  do
    findChains();
  while (!settleDimensions());
  joinGroups();
  countTiles();
}

/// Every value that holds a parameter, and the parameters it may hold.
void TilePlan::collect() {
  module.walk([&](func::CallOp call) { calls[calleeOf(call)].push_back(call); });
  SymbolTable symbols(module);
  module.walk([&](ReadOp read) { reads[symbols.lookup(read.getState())].push_back(read); });
  for (auto state : module.getOps<StateOp>()) {
    if (state.getRole() != Role::Parameter || !reads.contains(state) || rankOf(state) < 1 ||
        rankOf(state) > 2 || state.getSlice())
      continue;
    tileable.insert(state);
    for (ReadOp read : reads[state])
      follow(read.getValue(), state);
  }
}

void TilePlan::follow(Value value, Operation *state) {
  if (!statesOf[value].insert(state))
    return;
  valuesOf[state].push_back(value);
  for (OpOperand &use : value.getUses())
    if (auto call = dyn_cast<func::CallOp>(use.getOwner()))
      if (func::FuncOp callee = calleeOf(call); callee && !callee.isExternal())
        follow(callee.getArgument(use.getOperandNumber()), state);
}

/// Drops parameters with a use that cannot be tiled until none is left: an argument is tiled only if every
/// call passes it a tiled parameter.
void TilePlan::dropUntileable() {
  size_t before;
  do {
    before = tileable.size();
    tileable.remove_if([&](Operation *state) { return !canTile(state); });
  } while (tileable.size() != before);
}

bool TilePlan::canTile(Operation *state) {
  return llvm::all_of(valuesOf[state], [&](Value value) {
    return llvm::all_of(statesOf[value], [&](Operation *other) { return tileable.contains(other); }) &&
           llvm::all_of(value.getUses(), [&](OpOperand &use) { return isTileable(use); });
  });
}

bool TilePlan::isTileable(OpOperand &use) {
  if (auto call = dyn_cast<func::CallOp>(use.getOwner())) {
    func::FuncOp callee = calleeOf(call);
    unsigned argument = use.getOperandNumber();
    return !callee.isExternal() && llvm::all_of(calls[callee], [&](func::CallOp other) {
      auto read = other.getOperand(argument).getDefiningOp<ReadOp>();
      return read && statesOf.contains(read.getValue());
    });
  }
  int64_t rank = typeOf(use.get()).getRank();
  if (auto map = dyn_cast<MapOp>(use.getOwner()))
    return rank == 1 && readsColumns(map, use.getOperandNumber());
  if (auto matmul = dyn_cast<MatmulOp>(use.getOwner()))
    return rank == 2 && use.getOperandNumber() == 1 && !matmul.getOnto();
  auto embedding = dyn_cast<EmbeddingOp>(use.getOwner());
  return embedding && rank == 2 && use.getOperandNumber() == 0 && !embedding.getFirst();
}

void TilePlan::findChains() {
  found.clear();
  auto isWeight = [&](Value value) {
    auto states = statesOf.find(value);
    return states != statesOf.end() && typeOf(value).getRank() == 2 &&
           tileable.contains(states->second.front());
  };
  llvm::DenseSet<Operation *> inChain;
  for (auto &[value, states] : statesOf)
    for (Operation *user : value.getUsers()) {
      auto start = dyn_cast<MatmulOp>(user);
      if (!start || inChain.contains(start))
        continue;
      std::optional<Chain> chain = findChain(start, isWeight);
      // One that begins with what ends another is left to it.
      if (!chain || llvm::any_of(chain->ops, [&](Operation *op) { return inChain.contains(op); }))
        continue;
      inChain.insert(chain->ops.begin(), chain->ops.end());
      found.push_back(std::move(*chain));
    }
}

/// Where a use wants its matrix cut: along the inner dimension at the end of a chain, else the outer one.
std::optional<unsigned> TilePlan::dimensionOf(OpOperand &use) const {
  if (isa<EmbeddingOp>(use.getOwner()))
    return 0;
  auto matmul = dyn_cast<MatmulOp>(use.getOwner());
  if (!matmul)
    return std::nullopt;
  unsigned output = matmul.getTransposeB() ? 0 : 1;
  bool ends = llvm::any_of(found, [&](const Chain &chain) { return chain.end() == matmul.getOperation(); });
  return ends ? 1 - output : output;
}

/// False if uses of a parameter want it cut in two ways; then a chain fewer, or a parameter fewer, is tried.
bool TilePlan::settleDimensions() {
  dims.clear();
  for (Operation *state : tileable) {
    if (rankOf(state) != 2)
      continue;
    for (Value value : valuesOf[state])
      for (OpOperand &use : value.getUses()) {
        std::optional<unsigned> dim = dimensionOf(use);
        if (!dim || dims.try_emplace(state, *dim).first->second == *dim)
          continue;
        tileable.remove(state);
        dropUntileable();
        return false;
      }
  }
  return true;
}

/// Whether a vector is read column by column by the maps of a chain, and by nobody else.
bool TilePlan::cutVector(const Chain &chain, Value vector) const {
  return typeOf(vector).getRank() == 1 && typeOf(vector).getDimSize(0) == chain.columns() &&
         !vector.use_empty() && llvm::all_of(vector.getUsers(), [&](Operation *user) {
           return llvm::is_contained(chain.ops, user);
         });
}

void TilePlan::joinGroups() {
  auto join = [&](Operation *a, Operation *b) { groups.unionSets(a, b); };
  for (auto &[value, states] : statesOf)
    for (Operation *state : states)
      if (tileable.contains(state))
        join(states.front(), state);
  llvm::DenseMap<Value, Operation *> leaderOfVector; // by the value that a chain reads
  for (Chain &chain : found) {
    Operation *leader = statesOf.find(chain.starts.front().getB())->second.front();
    auto joinStatesOf = [&](Value value) {
      if (auto states = statesOf.find(value); states != statesOf.end())
        join(leader, states->second.front());
    };
    for (MatmulOp start : chain.starts)
      joinStatesOf(start.getB());
    if (MatmulOp end = chain.endMatmul())
      joinStatesOf(end.getB());
    for (Operation *op : chain.ops)
      for (Value operand : op->getOperands())
        if (statesOf.contains(operand) && cutVector(chain, operand))
          leaderOfVector[operand] = leader;
  }
  // A vector is cut if everyone who reads it is in a chain.
  for (Operation *state : tileable) {
    auto isRead = [&](Value value) {
      return leaderOfVector.contains(value) || llvm::all_of(value.getUsers(), llvm::IsaPred<func::CallOp>);
    };
    if (rankOf(state) != 1 || !llvm::all_of(valuesOf[state], isRead))
      continue;
    dims[state] = 0;
    for (Value value : valuesOf[state])
      if (Operation *leader = leaderOfVector.lookup(value))
        join(leader, state);
  }
}

/// As few equal tiles as the limits allow, one number for all of a group.
void TilePlan::countTiles() {
  llvm::MapVector<Operation *, SmallVector<Operation *>> members;
  for (auto &[state, dim] : dims)
    members[groups.getLeaderValue(state)].push_back(state);
  llvm::MapVector<Operation *, SmallVector<Chain *>> chainsOf;
  for (Chain &chain : found)
    chainsOf[groups.getLeaderValue(statesOf.find(chain.starts.front().getB())->second.front())].push_back(
        &chain);
  auto isOver = [](int64_t limit, int64_t bytes, int64_t count) {
    return limit > 0 && bytes > limit * count;
  };
  auto note = [&](bool ofParameter, StateOp state, int64_t least) {
    if (least > (ofParameter ? limits.parameter : limits.activation) &&
        (!tooSmall || least > tooSmall->bytes))
      tooSmall = {ofParameter, state.getOriginal().str(), least};
  };
  for (auto &[leader, states] : members) {
    int64_t extent =
        cast<ShapedType>(cast<StateOp>(states.front()).getType()).getDimSize(dims[states.front()]);
    for (Operation *state : states)
      mostBytes = std::max(mostBytes, rankOf(state) == 2 ? bytesOf(cast<StateOp>(state)) : 0);
    for (Chain *chain : chainsOf[leader])
      mostBytes = std::max(mostBytes, chain->columnBytes() * extent);
    auto fits = [&](int64_t count) {
      return llvm::none_of(states,
                           [&](Operation *state) {
                             return rankOf(state) == 2 &&
                                    isOver(limits.parameter, bytesOf(cast<StateOp>(state)), count);
                           }) &&
             llvm::none_of(chainsOf[leader], [&](Chain *chain) {
               return isOver(limits.activation, chain->columnBytes() * extent, count);
             });
    };
    int64_t count = 1;
    while (count <= extent && (extent % count != 0 || !fits(count)))
      ++count;
    for (Operation *state : states)
      if (rankOf(state) == 2 && limits.parameter > 0 && count > extent)
        note(true, cast<StateOp>(state), bytesOf(cast<StateOp>(state)) / extent);
    for (Chain *chain : chainsOf[leader])
      if (limits.activation > 0 && count > extent)
        note(false, cast<StateOp>(states.front()), chain->columnBytes());
    if (count == 1 || count > extent)
      continue;
    for (Operation *state : states)
      cuts[state] = {dims[state], count};
    for (Chain *chain : chainsOf[leader])
      chains.push_back(
          {*chain, count, chain->loss() || isOver(limits.activation, chain->columnBytes() * extent, 1)});
  }
}

} // namespace windlass::graph
