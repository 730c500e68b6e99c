// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Dist/DeclareBuckets.h"

#include "dialects/Dist/IR/BucketSplits.h"
#include "dialects/Graph/IR/GraphAttributes.h"

using namespace mlir;

namespace windlass::dist {
namespace {

using Roles = std::vector<graph::Role>; // in the order of the states

void declareMesh(OpBuilder &builder, Location loc, const ShardLayout &layout) {
  MeshAxes axes;
  SmallVector<int64_t> sizes;
  SmallVector<Attribute> kinds;
  for (const plan::MeshAxis &axis : layout.mesh) {
    axes.push_back(axis.name);
    sizes.push_back(axis.size);
    kinds.push_back(AxisKindAttr::get(builder.getContext(), axis.kind));
  }
  MeshOp::create(builder, loc, "mesh", axesAttr(builder, axes), sizes, builder.getArrayAttr(kinds));
}

MemberAttr memberOf(Builder &builder, graph::StateOp state, int64_t offset) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(state.getType()).getShape();
  if (state->hasAttr(graph::kNumber))
    shape = {};
  return MemberAttr::get(builder.getContext(), state.getOriginalAttr(), builder.getDenseI64ArrayAttr(shape),
                         offset, state.getInit(), state.getSliceAttr());
}

void declareBucket(OpBuilder &builder, Location loc, const BucketPlan &bucket, const Roles &roles) {
  SmallVector<Attribute> units, classes;
  SmallVector<graph::StateOp> parameters;
  for (const UnitPlan &unit : bucket.units) {
    SmallVector<MemberAttr> members;
    for (auto [state, offset] : llvm::zip_equal(unit.members, unit.offsets))
      members.push_back(memberOf(builder, state, offset));
    units.push_back(UnitAttr::get(builder.getContext(), builder.getStringAttr(unit.name), unit.elements,
                                  unit.piece, members));
    llvm::append_range(parameters, unit.members);
  }
  for (graph::Role role : roles)
    classes.push_back(graph::RoleAttr::get(builder.getContext(), role));
  auto declared =
      BucketOp::create(builder, loc, bucket.symbol, bucket.zero, bucket.group, bucket.layer,
                       builder.getArrayAttr(units), bucket.elementType(), builder.getArrayAttr(classes),
                       bucket.owner >= 0 ? builder.getI64IntegerAttr(bucket.owner) : IntegerAttr(),
                       axesAttr(builder, bucket.over), axesAttr(builder, bucket.finer));
  noteSplits(declared, parameters);
}

} // namespace

void declareBuckets(ModuleOp module, const ShardLayout &layout) {
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToStart(module.getBody());
  declareMesh(builder, module.getLoc(), layout);
  std::map<std::string, Roles> roles; // by bucket
  SmallVector<graph::StateOp> states = llvm::to_vector(module.getOps<graph::StateOp>());
  for (graph::StateOp state : states) {
    StringRef parameter = state.getOf() ? *state.getOf() : state.getSymName();
    Roles &known = roles[layout.bucketOf(parameter).symbol];
    if (!llvm::is_contained(known, state.getRole()))
      known.push_back(state.getRole());
  }
  for (const BucketPlan &bucket : layout.buckets)
    declareBucket(builder, module.getLoc(), bucket, roles[bucket.symbol]);
  for (graph::StateOp state : states)
    state.erase();
}

} // namespace windlass::dist
