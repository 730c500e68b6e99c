// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/facts/PaddedExamples.h"

#include "dialects/Graph/IR/GraphAttributes.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "mlir/IR/Matchers.h"
#include "runtime/base/StepItems.h"
#include "runtime/plan/Plan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace windlass {
namespace {

/// What is known of the elements of a value that come from padding alone.
struct Padding {
  Attribute value = {}; ///< of each of them; null: not known
  bool isSum = false;   ///< other examples were added to them: the value is what padding adds
  bool isFixed = false; ///< the value is the same whatever the examples are
};

bool isZero(Attribute value) {
  return value && (matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()));
}

bool isNumber(Attribute value, double number) {
  if (auto real = dyn_cast_or_null<FloatAttr>(value))
    return real.getValueAsDouble() == number;
  auto integer = dyn_cast_or_null<IntegerAttr>(value);
  return integer && static_cast<double>(integer.getInt()) == number;
}

Attribute numberOf(Type element, int64_t value) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, static_cast<double>(value));
  return IntegerAttr::get(element, value);
}

/// Follows values from the inputs to the loss, in the order of the step.
class PaddingOfValues {
public:
  bool mayCount(graph::StepOp step);

private:
  using Scalars = llvm::DenseMap<Value, Padding>;

  Padding of(Value value) const { return known.lookup(value); }
  void visit(Operation &op);
  Padding ofFeed(graph::FeedOp feed) const;
  Padding ofScalar(Operation &op, const Scalars &scalars) const;
  SmallVector<Padding> ofBody(Block &body, ValueRange inputs) const;
  void setMap(graph::MapOp map);
  void setReduction(graph::ReduceOp reduce);

  llvm::DenseMap<Value, Padding> known;
};

Padding PaddingOfValues::ofFeed(graph::FeedOp feed) const {
  if (!feed.getInputRole())
    return {.isFixed = true}; // a number that the training loop knows
  const plan::InputRole role = *feed.getInputRole();
  const bool isLabel = role == plan::InputRole::Labels || role == plan::InputRole::Classes ||
                       role == plan::InputRole::OtherLabels;
  auto ignored = feed->getAttrOfType<IntegerAttr>(graph::kIgnored);
  return {.value =
              numberOf(graph::typeOf(feed.getValue()).getElementType(), !isLabel  ? 0
                                                                        : ignored ? ignored.getInt()
                                                                                  : plan::kIgnoredLabel)};
}

/// The result of an operation inside a body.
Padding PaddingOfValues::ofScalar(Operation &op, const Scalars &scalars) const {
  Attribute constant;
  if (matchPattern(&op, m_Constant(&constant)))
    return {.value = constant, .isFixed = true};
  Padding result{.isFixed = op.getNumRegions() == 0};
  SmallVector<Attribute> values;
  for (Value operand : op.getOperands()) {
    const Padding padding = scalars.lookup(operand);
    values.push_back(padding.value);
    result.isSum |= padding.isSum;
    result.isFixed &= padding.isFixed;
  }
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    // Zero times anything, except that padding in the other factor would scale what other examples add.
    for (auto [zero, other] :
         {std::pair(product.getLhs(), product.getRhs()), std::pair(product.getRhs(), product.getLhs())})
      if (const Padding mine = scalars.lookup(zero), theirs = scalars.lookup(other);
          isZero(mine.value) && (!mine.isSum || theirs.isFixed || theirs.value))
        return {.value = mine.value, .isSum = result.isSum, .isFixed = result.isFixed};
  } else if (isa<arith::SelectOp>(op) && values[0]) {
    result.value = values[isZero(values[0]) ? 2 : 1];
  } else if (op.getNumResults() == 1 && op.getNumRegions() == 0 &&
             llvm::all_of(values, [](Attribute value) { return value != nullptr; })) {
    Operation *copy = op.clone(); // a fold may change the operation
    SmallVector<OpFoldResult> folded;
    if (succeeded(copy->fold(values, folded)) && folded.size() == 1)
      result.value = dyn_cast<Attribute>(folded[0]);
    copy->destroy();
  }
  return result;
}

/// What a body yields.
SmallVector<Padding> PaddingOfValues::ofBody(Block &body, ValueRange inputs) const {
  Scalars scalars;
  for (auto [argument, input] : llvm::zip_equal(body.getArguments(), inputs))
    scalars[argument] = of(input);
  for (Operation &op : body.without_terminator())
    for (Value result : op.getResults())
      scalars[result] = ofScalar(op, scalars);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value yielded) { return scalars.lookup(yielded); });
}

void PaddingOfValues::setMap(graph::MapOp map) {
  const SmallVector<Padding> yielded = ofBody(map.getBody().front(), map.getInputs());
  for (auto [result, padding] : llvm::zip_equal(map.getResults(), yielded)) {
    known[result] = padding;
    // A sum that is read for each of several elements stands in those of padding, too.
    if (padding.isSum && graph::typeOf(result).getNumElements() != 1)
      known[result].value = nullptr;
  }
}

void PaddingOfValues::setReduction(graph::ReduceOp reduce) {
  const SmallVector<Padding> yielded = ofBody(reduce.getBody().front(), reduce.getInputs());
  for (auto [result, padding] : llvm::zip_equal(reduce.getResults(), yielded)) {
    const bool addsNothing = reduce.getCombine() == graph::Combine::Sum && isZero(padding.value);
    known[result] = {
        .value = addsNothing ? padding.value : Attribute(), .isSum = true, .isFixed = padding.isFixed};
  }
}

void PaddingOfValues::visit(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](graph::FeedOp feed) { known[feed.getValue()] = ofFeed(feed); })
      .Case([&](graph::ReshapeOp reshape) { known[reshape.getResult()] = of(reshape.getInput()); })
      .Case([&](graph::PadOp pad) {
        Padding padding = of(pad.getInput());
        if (!isNumber(padding.value, pad.getValue().convertToDouble()))
          padding.value = nullptr;
        known[pad.getResult()] = padding;
      })
      .Case([&](graph::MapOp map) { setMap(map); })
      .Case([&](graph::ReduceOp reduce) { setReduction(reduce); })
      .Case([&](graph::CrossEntropyOp loss) {
        auto label = dyn_cast_or_null<IntegerAttr>(of(loss.getLabels()).value);
        if (label && label.getInt() == static_cast<int64_t>(loss.getIgnoreIndex()))
          known[loss.getLosses()] = {.value = numberOf(graph::typeOf(loss.getLosses()).getElementType(), 0)};
      })
      .Default([&](Operation *other) {
        const bool isFixed =
            llvm::all_of(other->getOperands(), [&](Value operand) { return of(operand).isFixed; });
        for (Value result : other->getResults())
          known[result] = {.isFixed = isFixed};
      });
}

bool PaddingOfValues::mayCount(graph::StepOp step) {
  for (Operation &op : step.getBody().front()) {
    auto report = dyn_cast<graph::ReportOp>(op);
    if (report && report.getItem() == StringRef(kLoss))
      return !isZero(of(report.getValue()).value);
    visit(op);
  }
  return true;
}

} // namespace

bool paddingMayCount(graph::StepOp evaluate) { return PaddingOfValues().mayCount(evaluate); }

} // namespace windlass
