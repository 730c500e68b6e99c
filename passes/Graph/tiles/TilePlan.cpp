// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/tiles/TilePlan.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"

using namespace mlir;

namespace windlass::graph {
namespace {

int64_t bytesOf(StateOp state) {
  auto type = cast<RankedTensorType>(state.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

int64_t rankOf(Operation *state) { return cast<RankedTensorType>(cast<StateOp>(state).getType()).getRank(); }

} // namespace

TilePlan::TilePlan(ModuleOp module, const TileLimits &limits)
    : module(module), symbols(module), limits(limits) {
  if (limits.parameter == 0 && limits.activation == 0)
    return;
  collect();
  dropUntileable();
  do
    findChains();
  while (!settleDimensions());
  joinGroups();
  chooseTiles();
}

func::FuncOp TilePlan::calleeOf(func::CallOp call) const {
  return symbols.lookup<func::FuncOp>(call.getCallee());
}

/// Finds the values that hold parameters, and the parameters that each of them may hold.
void TilePlan::collect() {
  module.walk([&](func::CallOp call) { calls[calleeOf(call)].push_back(call); });
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

/// Drops parameters that have a use which cannot be tiled, until all uses of the others can. An argument can
/// be tiled only if every call passes it a parameter that can.
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

/// Whether tiles along a dimension are parts that the ranks which share out operations can have.
static bool tilesAreParts(Operation *state, unsigned dim) {
  const std::optional<StateSplit> split = splitOf(cast<StateOp>(state));
  ArrayRef<int64_t> shape = cast<RankedTensorType>(cast<StateOp>(state).getType()).getShape();
  return !split || widthOfTile(split->width, shape, dim, 1).has_value();
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
  return embedding && rank == 2 && use.getOperandNumber() == 0 && embedding.getFirst().value_or(0) == 0;
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
      // A product is in one chain alone: that which is found first.
      if (!chain || llvm::any_of(chain->ops, [&](Operation *op) { return inChain.contains(op); }))
        continue;
      inChain.insert(chain->ops.begin(), chain->ops.end());
      found.push_back(std::move(*chain));
    }
}

/// The dimension along which a use needs its weight cut: the inner one at the end of a chain, else the outer
/// one.
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

/// Finds the dimension of every parameter. False: two uses of a parameter need two dimensions; the parameter
/// was dropped, and dimensions are found anew.
bool TilePlan::settleDimensions() {
  dims.clear();
  for (Operation *state : tileable) {
    if (rankOf(state) != 2)
      continue;
    for (Value value : valuesOf[state])
      for (OpOperand &use : value.getUses()) {
        std::optional<unsigned> dim = dimensionOf(use);
        if (!dim || (dims.try_emplace(state, *dim).first->second == *dim && tilesAreParts(state, *dim)))
          continue;
        tileable.remove(state);
        dropUntileable();
        return false;
      }
  }
  return true;
}

/// Whether the maps of a chain, and no other ops, read a vector column by column.
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
  // A vector is cut if all its readers are in chains.
  for (Operation *state : tileable) {
    auto isRead = [&](Value value) {
      return leaderOfVector.contains(value) || llvm::all_of(value.getUsers(), llvm::IsaPred<func::CallOp>);
    };
    if (rankOf(state) != 1 || !tilesAreParts(state, 0) || !llvm::all_of(valuesOf[state], isRead))
      continue;
    dims[state] = 0;
    for (Value value : valuesOf[state])
      if (Operation *leader = leaderOfVector.lookup(value))
        join(leader, state);
  }
}

llvm::MapVector<Operation *, TilePlan::Group> TilePlan::listGroups() {
  llvm::MapVector<Operation *, Group> all; // by leader
  for (auto &[state, dim] : dims) {
    Group &group = all[groups.getLeaderValue(state)];
    group.states.push_back(state);
    group.extent = cast<ShapedType>(cast<StateOp>(state).getType()).getDimSize(dim);
  }
  for (Chain &chain : found)
    all[groups.getLeaderValue(statesOf.find(chain.starts.front().getB())->second.front())].chains.push_back(
        &chain);
  return all;
}

bool TilePlan::fits(const Group &group, int64_t width) const {
  auto isOver = [&](int64_t limit, int64_t sliceBytes) { return limit > 0 && sliceBytes * width > limit; };
  return llvm::none_of(group.states,
                       [&](Operation *state) {
                         return rankOf(state) == 2 &&
                                isOver(limits.parameter, bytesOf(cast<StateOp>(state)) / group.extent);
                       }) &&
         llvm::none_of(group.chains,
                       [&](Chain *chain) { return isOver(limits.activation, chain->columnBytes()); });
}

/// Keeps the largest of the narrowest tiles that are over their limit.
void TilePlan::noteLeast(const Group &group) {
  auto note = [&](bool ofParameter, Operation *state, int64_t bytes) {
    int64_t limit = ofParameter ? limits.parameter : limits.activation;
    if (limit > 0 && bytes > limit && (!tooSmall || bytes > tooSmall->bytes))
      tooSmall = {ofParameter, cast<StateOp>(state).getOriginal().str(), bytes};
  };
  for (Operation *state : group.states)
    if (rankOf(state) == 2)
      note(true, state, bytesOf(cast<StateOp>(state)) / group.extent);
  for (Chain *chain : group.chains)
    note(false, group.states.front(), chain->columnBytes());
}

/// Chooses the fewest tiles under the limits, and of these the most equal ones.
void TilePlan::chooseTiles() {
  for (auto &[leader, group] : listGroups()) {
    const int64_t extent = group.extent;
    for (Operation *state : group.states)
      mostBytes = std::max(mostBytes, rankOf(state) == 2 ? bytesOf(cast<StateOp>(state)) : 0);
    for (Chain *chain : group.chains)
      mostBytes = std::max(mostBytes, chain->columnBytes() * extent);
    int64_t width = extent;
    for (int64_t count = 2; width > 1 && !fits(group, width); ++count)
      width = llvm::divideCeil(extent, count);
    if (!fits(group, width)) {
      noteLeast(group);
      continue;
    }
    if (width == extent)
      continue;
    for (Operation *state : group.states)
      cuts[state] = {dims[state], extent, width};
    for (Chain *chain : group.chains)
      chains.push_back(
          {*chain,
           {1, extent, width},
           chain->loss() || (limits.activation > 0 && chain->columnBytes() * extent > limits.activation)});
  }
}

} // namespace windlass::graph
