// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses, and the numbers of labels or examples that they are means over.

#include "compiler/import/graphjson/GraphJsonOp.h"
#include "compiler/import/graphjson/LossShares.h"
#include "dialects/Graph/IR/GraphAttributes.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"

#include <array>
#include <limits>

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

/// The label that counts for nothing in an input, if operand i is one, perhaps reshaped; else PyTorch's.
int64_t ignoredBy(GraphJsonOp &op, size_t i) {
  if (i >= op.in.size())
    return kIgnoredLabel;
  Value labels = op.in[i];
  while (auto reshape = labels.getDefiningOp<ReshapeOp>())
    labels = reshape.getInput();
  auto feed = labels.getDefiningOp<FeedOp>();
  auto ignored = feed ? feed->getAttrOfType<IntegerAttr>(kIgnored) : IntegerAttr();
  return ignored ? ignored.getInt() : kIgnoredLabel;
}

Values buildCrossEntropy(GraphJsonOp &op) {
  int64_t ignored = op.place.has("ignore_index") ? op.place.at("ignore_index").integer(INT32_MIN, INT32_MAX)
                                                 : ignoredBy(op, 1);
  double smoothing = op.number("smoothing", 0, 0, 0.999999);
  if (!op.place.isOk() || !op.needFloats(0) || !op.needRank(0, 1) || !op.needIntegers(1) ||
      !op.need(op.shape(1) == op.shape(0).drop_back(), 1,
               "must be labels of " + formatShape(op.shape(0).drop_back())) ||
      !op.needBelow(1, op.last(0), "classes", ignored))
    return {};
  RankedTensorType row = tensorType(op.shape(1), op.f32());
  return {CrossEntropyOp::create(op.builder, op.loc, row, row, op.in[0], op.in[1], ignored,
                                 llvm::APFloat(smoothing))
              .getLosses()};
}

/// The weight of each class; empty without the key.
std::vector<double> readClassWeights(GraphJsonOp &op, int64_t classes) {
  std::vector<double> weights;
  if (!op.place.has("class_weights"))
    return weights;
  JsonReader list = op.place.at("class_weights");
  for (size_t i = 0; i < list.size() && list.isOk(); ++i)
    weights.push_back(list.at(i).number(0, std::numeric_limits<float>::max()));
  if (list.isOk() && std::ssize(weights) != classes)
    list.fail("must be " + counted(classes, "number") + ", one for each class, is " +
              std::to_string(weights.size()));
  return weights;
}

/// The share of a loss in the whole mean, by its labels (input 1) or the key "of".
std::optional<LossShare> readShare(GraphJsonOp &op) {
  constexpr std::array<std::string_view, 3> kOthers = {"examples", "micro_batches", "batches"};
  if (op.in.size() < 2) {
    const size_t of = op.place.has("of") ? op.place.at("of").choice(kOthers) : 0;
    LossShare share;
    share.of = kOthers[of];
    return share;
  }
  auto labels = op.in[1].getDefiningOp<FeedOp>();
  if (!op.need(labels && !op.isFloat(1), 1, "must be an input of labels"))
    return std::nullopt;
  LossShare share;
  share.of = "labels";
  share.input = labels.getItem().str();
  share.ignored = kIgnoredLabel;
  if (auto ignored = labels->getAttrOfType<IntegerAttr>(kIgnored))
    share.ignored = ignored.getInt();
  if (auto first = labels->getAttrOfType<IntegerAttr>(kFirst))
    share.first = first.getInt();
  if (op.place.has("ignored"))
    share.ignored = op.place.at("ignored").integer(INT32_MIN, INT32_MAX);
  if (op.place.has("first"))
    share.first = op.place.at("first").integer(0, typeOf(op.in[1]).getNumElements() / op.dim(1, 0) - 1);
  share.classWeights = readClassWeights(op, static_cast<int64_t>(labels.getBound()));
  return share;
}

Values buildMeanOver(GraphJsonOp &op) {
  if (!op.needFloats(0) || !op.need(isa<StepOp>(op.builder.getInsertionBlock()->getParentOp()), 0,
                                    "must be a value of the model, not of a block"))
    return {};
  std::optional<LossShare> share = readShare(op);
  if (!share || !op.place.isOk())
    return {};
  Value times = feedLossShare(op.builder, op.loc, *share);
  return {buildMap(op.builder, op.loc, {op.in[0], times},
                   {identityMap(op.context(), op.rank(0)), loopsMap(op.context(), op.rank(0), {})},
                   op.type(0), [](const Scalars &s, ValueRange x) { return s.mul(x[0], x[1]); })};
}

constexpr GraphJsonEntry kLossOps[] = {
    {"cross_entropy", "logits, labels", "ignore_index (that of the input, or -100), smoothing (0)",
     "per row: minus the log-probability of its label, of which the share smoothing is spread over all "
     "labels; 0 for the ignored label",
     buildCrossEntropy},
    {"mean_over", "x, [labels]",
     "of: examples (default), micro_batches, batches; ignored, first (those of labels), class_weights (1)",
     "a term of a loss with several terms: x is multiplied so that its sum over the whole batch is a mean "
     "over the labels that are not ignored, each weighted by its class, or over examples or micro-batches "
     "(of batches: a sum over the whole batch); without mean_over a term is divided by the number by which "
     "the whole loss is divided",
     buildMeanOver},
};

} // namespace

llvm::ArrayRef<GraphJsonEntry> lossOps() { return kLossOps; }

} // namespace windlass
