// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/LossShares.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "runtime/base/StepItems.h"

using namespace mlir;

namespace windlass {
namespace {

constexpr StringLiteral kLossShare = "windlass.loss_share";

} // namespace

Value feedLossShare(OpBuilder &builder, Location loc, const LossShare &share) {
  const Attribute meaning = builder.getDictionaryAttr(
      {builder.getNamedAttr("of", builder.getStringAttr(share.of)),
       builder.getNamedAttr("input", builder.getStringAttr(share.input)),
       builder.getNamedAttr("ignored", builder.getI64IntegerAttr(share.ignored)),
       builder.getNamedAttr("class_weights", builder.getDenseF64ArrayAttr(share.classWeights)),
       builder.getNamedAttr("first", builder.getI64IntegerAttr(share.first))});
  size_t others = 0;
  for (auto feed : builder.getInsertionBlock()->getOps<graph::FeedOp>()) {
    const Attribute other = feed->getAttr(kLossShare);
    if (other == meaning)
      return feed.getValue();
    others += other ? 1 : 0;
  }
  auto feed = graph::FeedOp::create(builder, loc, graph::tensorType({}, builder.getF32Type()),
                                    std::string(kLossSharePrefix) + std::to_string(others));
  feed->setAttr(kLossShare, meaning);
  return feed.getValue();
}

std::vector<LossShare> lossShares(graph::StepOp step) {
  std::vector<LossShare> shares;
  for (auto feed : step.getOps<graph::FeedOp>())
    if (auto share = feed->getAttrOfType<DictionaryAttr>(kLossShare))
      shares.push_back({share.getAs<StringAttr>("of").str(), share.getAs<StringAttr>("input").str(),
                        share.getAs<IntegerAttr>("ignored").getInt(),
                        share.getAs<DenseF64ArrayAttr>("class_weights").asArrayRef().vec(),
                        share.getAs<IntegerAttr>("first").getInt(), feed.getItem().str()});
  return shares;
}

} // namespace windlass
