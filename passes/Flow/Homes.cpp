#include "passes/Flow/Homes.h"

using namespace mlir;

namespace windlass::flow {

int64_t ranksOf(ModuleOp module) {
  auto meshes = module.getOps<dist::MeshOp>();
  return meshes.empty() ? 1 : (*meshes.begin()).getDp();
}

Type elementOf(dist::BucketOp bucket, graph::Role role) {
  if (role == graph::Role::Parameter)
    return bucket.getParameterType();
  return Float32Type::get(bucket.getContext());
}

std::string homeName(StringRef bucket, StringRef role, int64_t unit) {
  std::string name = bucket.str() + "." + role.str();
  return unit < 0 ? name : name + ".u" + std::to_string(unit);
}

std::string gradientHomeName(StringRef bucket, int64_t use) {
  return homeName(bucket, kGradientRole) + "." + std::to_string(use);
}

HomeTable::HomeTable(ModuleOp module) {
  for (auto home : module.getOps<HomeOp>())
    homes[home.getSymNameAttr()] = home;
}

HomeOp HomeTable::behind(Value buffer) const {
  auto use = resolveBuffer(buffer).root.getDefiningOp<UseOp>();
  return use ? of(use) : HomeOp();
}

void declareStateHomes(OpBuilder &builder, dist::BucketOp bucket, int64_t ranks) {
  for (auto attr : bucket.getClasses().getAsRange<graph::RoleAttr>()) {
    graph::Role role = attr.getValue();
    StringRef name = graph::stringifyRole(role), symbol = bucket.getSymName();
    int64_t element = bytesOf(elementOf(bucket, role));
    auto declare = [&](int64_t bytes, int64_t unit) {
      HomeOp::create(builder, bucket.getLoc(), homeName(symbol, name, unit), bytes, name, Tier::Unplaced,
                     symbol, name, unit);
    };
    if (bucket.isSharded(role)) {
      declare(roundUp(bucket.getShardElements() * element, kShardGranule), -1);
      continue;
    }
    for (auto [unit, piece] : llvm::enumerate(bucket.getPieces()))
      declare(roundUp(ranks * piece * element, kShardGranule), unit);
  }
}

} // namespace windlass::flow
