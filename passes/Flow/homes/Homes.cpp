// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Flow/homes/Homes.h"

#include "passes/Graph/Attributes.h"
#include <map>

using namespace mlir;

namespace windlass::flow {

int64_t ranksOf(ModuleOp module) {
  dist::MeshOp mesh = dist::meshOf(module);
  return mesh ? mesh.ranks() : 1;
}

int64_t dataRanksOf(ModuleOp module) {
  dist::MeshOp mesh = dist::meshOf(module);
  return mesh ? mesh.dataRanks() : 1;
}

bool isOfOneRank(CollectiveOpInterface collective) {
  dist::MeshOp mesh = dist::meshOf(collective);
  return !mesh || mesh.groupRanks(collective.axes()) == 1;
}

ArrayRef<int64_t> meshSizesOf(ModuleOp module) {
  dist::MeshOp mesh = dist::meshOf(module);
  return mesh ? mesh.getSizes() : ArrayRef<int64_t>();
}

BufferType typeOf(HomeOp home) {
  return BufferType::get(home.getContext(), home.getBytes(), home.getTier(),
                         static_cast<int64_t>(home.getOwner()), home.getSlots());
}

Value viewOf(OpBuilder &builder, Location loc, Value buffer, int64_t offset, int64_t bytes,
             ArrayRef<int64_t> strides) {
  BufferType type = bufferType(buffer);
  if (offset == 0 && bytes == type.getBytes() && strides.empty())
    return buffer;
  return ViewOp::create(builder, loc, BufferType::get(builder.getContext(), bytes, type.getTier()), buffer,
                        offset, strides);
}

Type elementOf(dist::BucketOp bucket, graph::Role role) {
  if (role == graph::Role::Parameter)
    return bucket.getParameterType();
  return Float32Type::get(bucket.getContext());
}

/// Of the homes of states.
static BufferClass bufferClassOf(graph::Role role) {
  switch (role) {
  case graph::Role::Parameter:
    return BufferClass::Parameter;
  case graph::Role::Master:
    return BufferClass::Master;
  case graph::Role::Momentum:
    return BufferClass::Momentum;
  case graph::Role::Variance:
    return BufferClass::Variance;
  case graph::Role::Gradient:
    return BufferClass::Gradient;
  }
  llvm_unreachable("closed enum");
}

SmallVector<Accumulator> accumulatorsOf(graph::MicroBatchesOp micro, const SymbolTable &symbols) {
  const ArrayAttr buckets = micro.getGradientOfAttr();
  const DenseI64ArrayAttr units = micro.getGradientUnitAttr();
  llvm::StringMap<int64_t> uses;
  SmallVector<Accumulator> all;
  for (auto [result, bucket] : llvm::zip_equal(micro.getResults(), buckets.getAsRange<FlatSymbolRefAttr>())) {
    int64_t unit = units ? units[result.getResultNumber()] : -1;
    int64_t &use = uses[bucket.getValue()];
    use += unit <= 0; // its first unit, or all of it
    all.push_back({result, symbols.lookup<dist::BucketOp>(bucket.getValue()), use - 1, unit});
  }
  return all;
}

std::string receivedHome(dist::RecvOp recv) { return recv.getItem().str() + ".received"; }

void declareReceived(OpBuilder &builder, dist::RecvOp recv) {
  HomeOp::create(
      builder, recv.getLoc(), receivedHome(recv),
      bytesOf(cast<RankedTensorType>(recv.getValue().getType())), // without padding, which does not come
      BufferClass::Gathered, Tier::Device, FlatSymbolRefAttr(), graph::RoleAttr(), /*unit=*/-1,
      /*use=*/0, TypeAttr());
}

HomeStack::HomeStack(ModuleOp module) {
  for (auto home : module.getOps<HomeOp>())
    if (static_cast<int64_t>(home.getOwner()) < 0)
      offsets[home] = std::exchange(sizes[at(home.getTier())],
                                    bytes(home.getTier()) + roundUp(heldBytes(home), kShardGranule));
  const std::array<int64_t, 4> shared = sizes;
  std::map<std::pair<size_t, int64_t>, int64_t> owned;
  for (auto home : module.getOps<HomeOp>()) {
    if (static_cast<int64_t>(home.getOwner()) < 0)
      continue;
    const size_t tier = at(home.getTier());
    int64_t &top =
        owned.try_emplace({tier, static_cast<int64_t>(home.getOwner())}, shared[tier]).first->second;
    offsets[home] = top;
    top += roundUp(home.getBytes(), kShardGranule);
    sizes[tier] = std::max(sizes[tier], top);
  }
}

HomeTable::HomeTable(ModuleOp module) {
  for (auto home : module.getOps<HomeOp>())
    homes[home.getSymNameAttr()] = home;
  for (auto [name, home] : homes)
    if (home.getBucket())
      byHeld[{home.getBucketAttr().getAttr(), *home.getRole(), static_cast<int64_t>(home.getUnit()),
              static_cast<int64_t>(home.getUse())}] = home;
}

HomeOp HomeTable::of(dist::BucketOp bucket, graph::Role role, int64_t unit, int64_t use) const {
  return byHeld.lookup({bucket.getSymNameAttr(), role, unit, use});
}

HomeOp HomeTable::of(const Accumulator &accumulator) const {
  return of(accumulator.bucket, graph::Role::Gradient, accumulator.unit, accumulator.use);
}

HomeOp HomeTable::behind(Value buffer) const {
  auto use = resolveBuffer(buffer).root.getDefiningOp<UseOp>();
  return use ? of(use) : HomeOp();
}

HomeOp HomeTable::ofUpdate(UpdateOp update) const {
  using graph::Role;
  for (Role role : {Role::Master, Role::Momentum, Role::Variance, Role::Parameter, Role::Gradient})
    for (Value buffer : update.getBuffers())
      if (HomeOp home = behind(buffer); home && home.getRole() == role)
        return home;
  return {};
}

/// A home is named after what it holds, for people: "h.0.decay.0.momentum", "h.0.decay.0.parameter.u1" of a
/// whole unit, "h.0.decay.0.gradient.0" of a gradient's first use.
static std::string nameOf(dist::BucketOp bucket, graph::Role role, int64_t unit, int64_t use) {
  std::string name = (bucket.getSymName() + "." + stringifyEnum(role)).str();
  if (role == graph::Role::Gradient)
    name.append(".").append(std::to_string(use));
  if (unit >= 0)
    name.append(".u").append(std::to_string(unit));
  return name;
}

static void declareHome(OpBuilder &builder, dist::BucketOp bucket, graph::Role role, int64_t elements,
                        Type element, int64_t unit, int64_t use = 0) {
  HomeOp::create(builder, bucket.getLoc(), nameOf(bucket, role, unit, use),
                 roundUp(elements * bytesOf(element), kShardGranule), bufferClassOf(role), std::nullopt,
                 FlatSymbolRefAttr::get(bucket.getSymNameAttr()),
                 graph::RoleAttr::get(builder.getContext(), role), unit, use,
                 role == graph::Role::Gradient ? TypeAttr::get(element) : TypeAttr(), /*offset=*/-1,
                 bucket.ownerRank());
}

void declareStateHomes(OpBuilder &builder, dist::BucketOp bucket) {
  for (auto attr : bucket.getClasses().getAsRange<graph::RoleAttr>()) {
    const graph::Role role = attr.getValue();
    const Type element = elementOf(bucket, role);
    if (bucket.isSharded(role)) {
      declareHome(builder, bucket, role, bucket.getShardElements(role), element, -1);
      continue;
    }
    for (auto [unit, piece] : llvm::enumerate(bucket.getPieces()))
      declareHome(builder, bucket, role, bucket.sharers() * piece, element, unit);
  }
}

void declareAccumulator(OpBuilder &builder, Accumulator accumulator) {
  const Type element = cast<RankedTensorType>(accumulator.sum.getType()).getElementType();
  dist::BucketOp bucket = accumulator.bucket;
  auto declare = [&](int64_t elements, int64_t unit) {
    declareHome(builder, bucket, graph::Role::Gradient, elements, element, unit, accumulator.use);
  };
  if (accumulator.unit >= 0)
    declare(bucket.sharers() * bucket.getPieces()[accumulator.unit], accumulator.unit);
  if (accumulator.unit <= 0)
    declare(bucket.getPartElements(), -1);
}

} // namespace windlass::flow
