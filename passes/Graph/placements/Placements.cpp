// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/placements/Placements.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphCalls.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "mlir/IR/Matchers.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/gradients/LayerGradient.h"

using namespace mlir;

namespace windlass::graph {

using Kind = Placement::Kind;

std::string describe(const Placement &placement) {
  switch (placement.kind) {
  case Kind::Free:
    return "free";
  case Kind::Whole:
    return "whole";
  case Kind::Varied:
    return "varied";
  case Kind::Terms:
    return "terms";
  case Kind::Split:
    return "split(" + std::to_string(placement.width) + " of " + std::to_string(placement.period) + ")";
  case Kind::Own:
    return "own";
  }
  return "";
}

void addWay(Ways &ways, Placements way) {
  if (!llvm::is_contained(ways, way))
    ways.push_back(std::move(way));
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// The placement of `part`, a rank's block of rows of a tensor whose leading dimension the ranks share out. A
/// part of 1 x periods x width has `width` elements of each period; any other part is one run of elements.
static Placement ownRows(Value part, int64_t ranks) {
  RankedTensorType type = graph::typeOf(part);
  if (type.getDimSize(0) == 1 && type.getRank() == 3)
    return Placement::split(ranks * type.getDimSize(2), type.getDimSize(2));
  return Placement::split(ranks * type.getNumElements(), type.getNumElements());
}

static FailureOr<Placement> refuse(Operation *op, const Placement &operand, StringRef rule) {
  return op->emitOpError("takes ") << rule << ", but its operand is " << describe(operand);
}

FailureOr<Placement> placeExchange(Operation *op, const Placement &operand, int64_t ranks) {
  const bool isWhole = operand.is(Kind::Whole) || operand.is(Kind::Free);
  if (auto vary = dyn_cast<VaryOp>(op)) // its gradient is checked where it is summed
    return isWhole ? FailureOr<Placement>(Placement{vary.getOwnRows() ? Kind::Whole : Kind::Varied})
                   : refuse(op, operand, "a whole value");
  if (isa<AllReduceOp>(op))
    return operand.is(Kind::Terms) ? FailureOr<Placement>(Placement{Kind::Whole})
                                   : refuse(op, operand, "terms");
  if (isa<ReduceScatterOp>(op))
    return operand.is(Kind::Terms) ? FailureOr<Placement>(ownRows(op->getResult(0), ranks))
                                   : refuse(op, operand, "terms");
  if (isa<OwnPartOp>(op))
    return isWhole ? FailureOr<Placement>(ownRows(op->getResult(0), ranks))
                   : refuse(op, operand, "a whole value");
  auto gather = cast<AllGatherOp>(op);
  RankedTensorType type = typeOf(gather.getInput());
  const bool areRows = type.getDimSize(0) == 1 || operand.width == type.getNumElements();
  if (!operand.is(Kind::Own) && !(operand.is(Kind::Split) && areRows))
    return refuse(op, operand, "rows that are split, or each rank's own");
  return Placement{gather.getVaried() ? Kind::Varied : Kind::Whole};
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Placement PlacementWalk::ofState(StringRef name) {
  auto state = symbols.lookup<StateOp>(name);
  const std::optional<StateSplit> split = state ? splitOf(state) : std::nullopt;
  if (!split)
    return {Kind::Whole};
  int64_t width = split->width;
  std::optional<unsigned> dimension;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(state.getType()).getShape();
  if (!state.getSliceAttr() && shape.size() == split->whole.size())
    for (auto [dim, extent] : llvm::enumerate(shape))
      if (extent != split->whole[dim])
        dimension = dim;
  if (SliceAttr slice = state.getSliceAttr())
    for (auto [dim, extent] : llvm::enumerate(cast<RankedTensorType>(state.getType()).getShape()))
      if (ArrayRef<int64_t> whole = slice.getWhole().asArrayRef(); extent != whole[dim])
        width = widthOfTile(width, whole, dim, extent).value_or(0);
  return Placement::split(ranks * width, width, dimension); // the padding of the last rank included
}

/// Checks a report: its value is whole, or it is the gradient of a state and has the placement of the state.
LogicalResult PlacementWalk::checkReport(ReportOp report, const Placement &placement) {
  Placement expected{Kind::Whole};
  if (auto of = report.getGradientOf())
    expected = ofState(*of);
  if (placement.hasElementsOf(expected) || (placement.is(Kind::Free) && expected.is(Kind::Whole)))
    return success();
  return report.emitOpError("takes \"")
         << report.getItem() << "\" " << describe(expected) << ", but it is " << describe(placement);
}

Placements PlacementWalk::placementsOf(ValueRange all, const Values &values, OpenOps &because) {
  Placements placements;
  for (Value value : all) {
    const Placed placed = values.lookup(value);
    placements.push_back(placed.placement);
    because.insert(placed.because.begin(), placed.because.end());
  }
  return placements;
}

/// Whether every element is the constant 0.
static bool isZero(Value value) {
  auto map = value.getDefiningOp<MapOp>();
  return map && map.getInputs().empty() &&
         matchPattern(
             map.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber()),
             m_AnyZeroFloat());
}

/// The gradient of a result on which the loss does not depend is zeros. A rank's rows of zeros are zeros,
/// too, so that they are placed as the result is.
void PlacementWalk::placeZeroGradients(func::CallOp call, func::FuncOp backward, Placements &operands,
                                       OpenOps &because) {
  LayerFormAttr form = formOf(backward);
  if (!form || form.getPass() == LayerPass::Forward)
    return;
  for (auto &[name, forward] : called) {
    LayerFormAttr other = formOf(symbols.lookup<func::FuncOp>(name));
    if (!other || other.getPass() != LayerPass::Forward || other.getFunction() != form.getFunction())
      continue;
    for (unsigned i = 0; i < operands.size(); ++i)
      if (std::optional<unsigned> result = argumentIndex(backward, i, kResultGradient);
          result && forward.returned[*result].is(Kind::Split) && operands[i].is(Kind::Free) &&
          isZero(call.getOperand(i))) {
        operands[i] = forward.returned[*result];
        because.insert(forward.because.begin(), forward.because.end());
      }
  }
}

FailureOr<Placements> PlacementWalk::placeCall(func::CallOp call, Placements operands, OpenOps &because) {
  auto function = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!function || function.isExternal())
    return call.emitOpError("calls a function without a body");
  placeZeroGradients(call, function, operands, because);
  if (auto known = called.find(function.getName());
      known != called.end() && known->second.given == operands) {
    const OpenOps &ofReturned = known->second.because;
    if (ofReturned.empty())
      because.clear();
    because.insert(ofReturned.begin(), ofReturned.end());
    return known->second.returned;
  }
  Values values;
  for (auto [argument, placement] : llvm::zip_equal(function.getArguments(), operands))
    values[argument] = {placement, because};
  if (failed(walk(function.front(), values)))
    return failure();
  because.clear(); // the returned values have those of the operands
  Placements results = placementsOf(function.front().getTerminator()->getOperands(), values, because);
  called[function.getName()] = {operands, results, because};
  return results;
}

/// Whether an op computes gradients: it is of the backward pass, or adds up gradients behind it.
static bool isOfGradients(Operation *op) {
  return phaseOf(op).has_value() ||
         llvm::any_of(op->getBlock()->getOps<MicroBatchesOp>(),
                      [&](MicroBatchesOp batches) { return batches->isBeforeInBlock(op); });
}

FailureOr<Placements> PlacementWalk::place(Operation *op, const Placements &operands, Values &values,
                                           OpenOps &because) {
  if (auto read = dyn_cast<ReadOp>(op))
    return Placements{ofState(read.getState())};
  if (auto feed = dyn_cast<FeedOp>(op))
    return Placements{{feed.getItem() == kTensorCoordinate ? Kind::Own : Kind::Free}};
  if (auto report = dyn_cast<ReportOp>(op))
    return failed(checkReport(report, operands[0])) ? FailureOr<Placements>(failure()) : Placements{};
  if (auto call = dyn_cast<func::CallOp>(op))
    return placeCall(call, operands, because);
  if (auto batches = dyn_cast<MicroBatchesOp>(op)) {
    Block &body = batches.getBody().front();
    if (failed(walk(body, values)))
      return failure();
    return placementsOf(body.getTerminator()->getOperands(), values, because);
  }
  if (isa<VaryOp, AllReduceOp, AllGatherOp, ReduceScatterOp, OwnPartOp>(op)) {
    because
        .clear(); // the result of an exchange that is allowed does not depend on the placement of its operand
    FailureOr<Placement> result = placeExchange(op, operands[0], ranks);
    return failed(result) ? FailureOr<Placements>(failure()) : Placements{*result};
  }
  const size_t before = open.passed();
  FailureOr<Placements> results = placeResults(op, operands, ranks, isOfGradients(op), open);
  if (open.passed() > before) {
    open.dependOn(before, because);
    because.insert(before);
  }
  return results;
}

LogicalResult PlacementWalk::walk(Block &block, Values &values) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      return success();
    OpenOps because;
    const Placements operands = placementsOf(op.getOperands(), values, because);
    const OpenOps ofOperands = because;
    FailureOr<Placements> results = place(&op, operands, values, because);
    if (failed(results)) {
      if (!isa<func::CallOp, MicroBatchesOp>(op)) // of these an op inside was refused
        refusal = ofOperands;
      return failure();
    }
    ++placed;
    for (auto [result, placement] : llvm::zip_equal(op.getResults(), *results))
      values[result] = {placement, because};
  }
  return success();
}

LogicalResult PlacementWalk::walkSteps() {
  called.clear();
  placed = 0;
  for (auto step : module.getOps<StepOp>()) {
    Values values;
    if (failed(walk(step.getBody().front(), values)))
      return failure();
  }
  return success();
}

/// The limit of walks. Few ops have several ways.
static constexpr int kMostWalks = 256;

/// Walks until a walk is accepted. If none is, emits the diagnostics of the walk that came furthest.
LogicalResult PlacementWalk::run() {
  MLIRContext *context = module.getContext();
  std::vector<Diagnostic> said;
  int64_t furthest = -1;
  for (int walks = 0; walks == 0 || (walks < kMostWalks && open.tryOthers(refusal)); ++walks) {
    std::vector<Diagnostic> refusals;
    ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
      refusals.push_back(std::move(diagnostic));
      return success();
    });
    if (succeeded(walkSteps()))
      return success();
    if (placed > furthest) {
      furthest = placed;
      said = std::move(refusals);
    }
  }
  for (Diagnostic &refusal : said)
    context->getDiagEngine().emit(std::move(refusal));
  return failure();
}

} // namespace windlass::graph
