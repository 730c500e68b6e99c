// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/ShardLayout.h"

#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Dist/Segments.h"
#include "passes/Graph/Attributes.h"
#include "runtime/base/NearestName.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace windlass::dist {
namespace {

RankedTensorType typeOf(graph::StateOp state) { return cast<RankedTensorType>(state.getType()); }

/// Whether the state is a tile of a matrix. Tiles of vectors are small, and may be packed.
bool isMatrixTile(graph::StateOp state) { return state.getSlice() && typeOf(state).getRank() > 1; }

/// Units of one segment and group, in declaration order; a pack stands where its first member does. A
/// parameter with several gradients is a unit of its own, for the others of a pack have one.
std::vector<UnitPlan> formUnits(ArrayRef<graph::StateOp> states, const std::string &packName,
                                const llvm::StringMap<int64_t> &uses) {
  std::vector<UnitPlan> units;
  std::optional<size_t> pack;
  for (graph::StateOp state : states) {
    int64_t elements = typeOf(state).getNumElements();
    if (elements >= kPackBelowElements || uses.lookup(state.getSymName()) > 1 || isMatrixTile(state)) {
      units.push_back({state.getSymName().str(), elements, 0, false, {state}, {0}});
      continue;
    }
    if (!pack) {
      pack = units.size();
      units.push_back({packName, 0, 0, true, {}, {}});
    }
    UnitPlan &unit = units[*pack];
    unit.offsets.push_back(llvm::alignTo(unit.elements, kPieceGranule));
    unit.members.push_back(state);
    unit.elements = unit.offsets.back() + elements;
  }
  return units;
}

/// The packs of a layer and group are numbered from the second on.
std::string numbered(const std::string &name, int64_t number) {
  return number == 0 ? name : name + "." + std::to_string(number);
}

/// Sets the axes that a bucket is cut over: axes of data, also with tensor-parallel ranks.
void shareOut(BucketPlan &bucket, const ShardOptions &options, int64_t tensorRanks) {
  if (options.replicas == 1) {
    if (tensorRanks > 1)
      bucket.over = {kDataAxis.str()};
    return;
  }
  bucket.over = {kShardAxis.str()};
  (options.finer ? bucket.finer : bucket.copies) = {kReplicateAxis.str()};
  bucket.parts = options.finer ? options.replicas : 1;
}

/// Parameters that several ops of a step's forward pass read, directly or through values made of parameters
/// alone: these ops may belong to several stages of a pipeline. Repeated layers do not count, for a layer is
/// repeated on its own stage.
llvm::StringSet<> readOften(ModuleOp module) {
  llvm::StringSet<> often;
  for (auto step : module.getOps<graph::StepOp>()) {
    auto micros = step.getBody().front().getOps<graph::MicroBatchesOp>();
    Block &block = micros.empty() ? step.getBody().front() : (*micros.begin()).getBody().front();
    llvm::DenseMap<Value, SmallVector<StringRef>> madeOf;
    llvm::StringSet<> known;
    auto parametersBehind = [&](Value value) {
      auto read = value.getDefiningOp<graph::ReadOp>();
      return read ? SmallVector<StringRef>{read.getState()} : madeOf.lookup(value);
    };
    for (Operation &op : block.without_terminator()) {
      SmallVector<StringRef> parameters;
      bool hasOthers = false;
      for (Value operand : op.getOperands()) {
        const SmallVector<StringRef> behind = parametersBehind(operand);
        hasOthers |= behind.empty();
        llvm::append_range(parameters, behind);
      }
      if (!hasOthers)
        for (Value result : op.getResults())
          madeOf[result] = parameters;
      else if (const std::optional<graph::Phase> phase = graph::phaseOf(&op);
               phase != graph::Phase::Backward && phase != graph::Phase::Recompute)
        for (StringRef parameter : parameters)
          if (!known.insert(parameter).second)
            often.insert(parameter);
    }
  }
  return often;
}

/// Gives each bucket of zero 3 to the place along the axis of data that owns the fewest elements so far.
/// Buckets with a parameter of `inPieces` have no owner. If a bucket of a layer has such a parameter, no
/// bucket of a layer has an owner, since layers share functions, which take parameters in one form.
void assignOwners(std::vector<BucketPlan> &buckets, int64_t ranks, const llvm::StringSet<> &inPieces) {
  auto isShared = [&](const BucketPlan &bucket) {
    return llvm::any_of(bucket.units, [&](const UnitPlan &unit) {
      return llvm::any_of(unit.members,
                          [&](graph::StateOp state) { return inPieces.contains(state.getSymName()); });
    });
  };
  const bool layersShare = llvm::any_of(
      buckets, [&](const BucketPlan &bucket) { return !bucket.layer.empty() && isShared(bucket); });
  std::vector<int64_t> owned(ranks);
  for (BucketPlan &bucket : buckets) {
    if (bucket.zero < 3 || (bucket.layer.empty() ? isShared(bucket) : layersShare))
      continue;
    auto least = std::min_element(owned.begin(), owned.end());
    bucket.owner = least - owned.begin();
    bucket.held = ranks;
    *least += bucket.shardElements();
  }
}

/// The parameters of a segment that are updated alike, and are all split or none.
struct ParameterGroup {
  int64_t segment = 0;
  StringAttr layer, group;
  bool isSplit = false;
  SmallVector<graph::StateOp> states; ///< in declaration order
};

/// Segments in program order, the groups of each in order of first appearance.
std::vector<ParameterGroup> groupParameters(ModuleOp module) {
  const Segments segments(module);
  std::vector<ParameterGroup> groups;
  llvm::DenseMap<std::tuple<int64_t, StringAttr, StringAttr, int64_t>, size_t> places;
  for (auto state : module.getOps<graph::StateOp>()) {
    if (state.getRole() != graph::Role::Parameter)
      continue;
    ParameterGroup group{segments.of(state),
                         state.getLayerAttr(),
                         state.getGroupAttr(),
                         graph::splitOf(state).has_value(),
                         {}};
    auto [place, fresh] =
        places.try_emplace({group.segment, group.layer, group.group, group.isSplit}, groups.size());
    if (fresh)
      groups.push_back(group);
    groups[place->second].states.push_back(state);
  }
  llvm::stable_sort(groups,
                    [](const ParameterGroup &a, const ParameterGroup &b) { return a.segment < b.segment; });
  return groups;
}

/// How many gradients a step makes of each parameter.
llvm::StringMap<int64_t> countGradients(ModuleOp module) {
  llvm::StringMap<int64_t> gradients;
  module.walk([&](graph::MicroBatchesOp micro) {
    if (auto states = micro.getGradientOfAttr())
      for (auto state : states.getAsRange<FlatSymbolRefAttr>())
        ++gradients[state.getValue()];
  });
  return gradients;
}

/// Small tensors alone, and few of them.
bool staysWhole(const BucketPlan &bucket, int64_t persistence) {
  int64_t elements = 0;
  for (const UnitPlan &unit : bucket.units) {
    if (!unit.packed)
      return false;
    elements += unit.elements;
  }
  return elements <= persistence;
}

} // namespace

std::vector<plan::MeshAxis> meshAxes(int64_t dataRanks, int64_t replicas, int64_t tensorRanks) {
  std::vector<plan::MeshAxis> axes = {{kDataAxis.str(), dataRanks}};
  if (replicas > 1)
    axes = {{kReplicateAxis.str(), replicas}, {kShardAxis.str(), dataRanks / replicas}};
  if (tensorRanks > 1)
    axes.push_back({graph::kTensorAxis.str(), tensorRanks, plan::AxisKind::Tensor});
  return axes;
}

ArrayAttr axesAttr(Builder &builder, const MeshAxes &axes) {
  return axes.empty() ? ArrayAttr() : builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(axes));
}

RankedTensorType UnitPlan::type() const {
  RankedTensorType first = typeOf(members.front());
  return packed ? RankedTensorType::get({elements}, first.getElementType()) : first;
}

bool BucketPlan::isTile() const { return isMatrixTile(units.front().members.front()); }

int64_t BucketPlan::shardElements() const {
  int64_t sum = 0;
  for (const UnitPlan &unit : units)
    sum += held * unit.piece;
  return sum;
}

SmallVector<int64_t> BucketPlan::pieces() const {
  return llvm::map_to_vector(units, [this](const UnitPlan &unit) { return held * unit.piece; });
}

SmallVector<int64_t> BucketPlan::partPieces() const {
  return llvm::map_to_vector(pieces(), [this](int64_t piece) { return piece / parts; });
}

MeshAxes BucketPlan::partAxes() const {
  MeshAxes axes = over;
  llvm::append_range(axes, finer);
  return axes;
}

std::string BucketPlan::nameInLayer() const {
  return layer.empty() ? symbol : symbol.substr(layer.size() + 1);
}

int64_t ShardLayout::groupRanks(const MeshAxes &axes) const {
  int64_t ranks = 1;
  for (const plan::MeshAxis &axis : mesh)
    ranks *= axes.empty() || llvm::is_contained(axes, axis.name) ? axis.size : 1;
  return ranks;
}

const BucketPlan &ShardLayout::bucketOf(StringRef layer, int64_t ordinal) const {
  for (const BucketPlan &bucket : buckets)
    if (bucket.layer == layer && bucket.ordinal == ordinal)
      return bucket;
  llvm_unreachable("every instance of a layer function has the same buckets");
}

ShardLayout layOutShards(ModuleOp module, const ShardOptions &options) {
  const llvm::StringMap<int64_t> severalUses = countGradients(module);
  ShardLayout layout;
  const int64_t tensorRanks = graph::tensorRanksOf(module);
  layout.mesh = meshAxes(options.ranks, options.replicas, tensorRanks);
  std::map<std::string, int64_t> ordinals, buckets, packs; // by layer, and by layer and group
  for (const ParameterGroup &parameters : groupParameters(module)) {
    const std::string layer = parameters.layer.str(), group = parameters.group.str();
    const std::string prefix = (layer.empty() ? "" : layer + ".") + group;
    int64_t filled = 0;
    bool closed = true; // the next unit opens a bucket
    for (UnitPlan &unit :
         formUnits(parameters.states, numbered(prefix + ".pack", packs[prefix]), severalUses)) {
      unit.piece = options.replicas *
                   llvm::alignTo((unit.elements + options.ranks - 1) / options.ranks, kPieceGranule);
      graph::StateOp first = unit.members.front();
      bool alone = !unit.packed && (severalUses.lookup(first.getSymName()) > 1 || isMatrixTile(first));
      int64_t bytes = unit.elements * unit.type().getElementTypeBitWidth() / 8;
      if (closed || alone || filled + bytes > options.bucketBytes) {
        const std::string symbol = prefix + "." + std::to_string(buckets[prefix]++);
        layout.buckets.push_back(
            {symbol, layer, group, parameters.isSplit, ordinals[layer]++, options.zero, {}});
        filled = 0;
      }
      closed = alone;
      filled += bytes;
      packs[prefix] += unit.packed;
      BucketPlan &bucket = layout.buckets.back();
      for (auto [member, state] : llvm::enumerate(unit.members))
        layout.slots[state.getSymName().str()] = {layout.buckets.size() - 1, bucket.units.size(), member};
      bucket.units.push_back(std::move(unit));
    }
  }
  for (BucketPlan &bucket : layout.buckets) {
    shareOut(bucket, options, tensorRanks);
    if (bucket.zero == 3 && staysWhole(bucket, options.persistence))
      bucket.zero = 2;
    if (auto named = options.zeroOf.find(bucket.symbol); named != options.zeroOf.end())
      bucket.zero = named->second;
  }
  if (options.owned && options.ranks > 1)
    assignOwners(layout.buckets, options.ranks, options.staged ? readOften(module) : llvm::StringSet<>());
  return layout;
}

Status checkBuckets(const ShardLayout &layout, const std::string &key,
                    const std::vector<std::string> &names) {
  std::vector<std::string_view> known;
  for (const BucketPlan &bucket : layout.buckets)
    known.push_back(bucket.symbol);
  for (const std::string &name : names)
    if (!llvm::is_contained(known, name))
      return Status::badInput(key + ": no \"" + name + "\" in this model" + didYouMean(name, known));
  return Status::ok();
}

} // namespace windlass::dist
