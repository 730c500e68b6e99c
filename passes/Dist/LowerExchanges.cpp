// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What ranks that share out operations exchange, as collectives over their axis of the mesh.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "passes/Dist/Passes.h"
#include "passes/Graph/Attributes.h"

using namespace mlir;

namespace windlass::dist {

#define GEN_PASS_DEF_LOWEREXCHANGES
#include "passes/Dist/Passes.h.inc"

namespace {

/// What messages and reports call it.
constexpr llvm::StringLiteral kName = "exchange";

class ExchangeLowering {
public:
  explicit ExchangeLowering(MLIRContext *context) : builder(context) {}

  void lower(Operation *op) {
    builder.setInsertionPoint(op);
    phase = graph::phaseOf(op);
    Value result = TypeSwitch<Operation *, Value>(op)
                       .Case([](graph::VaryOp vary) { return vary.getInput(); })
                       .Case([&](graph::AllReduceOp sum) { return allReduce(sum); })
                       .Case([&](graph::AllGatherOp gather) {
                         return gatherRows(ownBuffer(gather.getInput()), graph::typeOf(gather.getResult()));
                       })
                       .Case([&](graph::ReduceScatterOp sum) {
                         return scatter(ownBuffer(sum.getInput()), graph::typeOf(sum.getResult()));
                       })
                       .Case([&](graph::OwnPartOp part) { return ownPart(part); });
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

private:
  /// Its two halves, over the elements in a row. Where these do not divide, the value lies in its padded
  /// buffer alone.
  Value allReduce(graph::AllReduceOp sum) {
    RankedTensorType type = graph::typeOf(sum.getResult());
    const auto ranks = static_cast<int64_t>(sum.getRanks());
    const int64_t piece = llvm::divideCeil(type.getNumElements(), ranks);
    const bool divides = piece * ranks == type.getNumElements();
    Value terms = divides ? ownBuffer(sum.getInput()) : copy(sum.getInput());
    Value shard = scatter(terms, graph::tensorType({piece}, type.getElementType()));
    Value all = gatherRows(shard, type);
    return divides ? all : copy(all);
  }

  Value scatter(Value terms, RankedTensorType part) {
    auto reduce = ReduceScatterOp::create(builder, terms.getLoc(), part, terms,
                                          builder.getDenseI64ArrayAttr({part.getNumElements()}),
                                          builder.getStringAttr(kName), axis());
    graph::setPhase(reduce, phase);
    return reduce.getShard();
  }

  Value gatherRows(Value part, RankedTensorType whole) {
    const int64_t piece = graph::typeOf(part).getNumElements();
    auto gather =
        AllGatherOp::create(builder, part.getLoc(), TypeRange{whole}, part,
                            builder.getDenseI64ArrayAttr({piece}), builder.getStringAttr(kName), axis());
    graph::setPhase(gather, phase);
    return gather.getUnits().front();
  }

  /// The rows of the coordinate, of those of all coordinates.
  Value ownPart(graph::OwnPartOp part) {
    RankedTensorType type = graph::typeOf(part.getResult());
    const auto ranks = static_cast<unsigned>(part.getRanks());
    const auto loops = static_cast<unsigned>(type.getRank());
    Value place = coordinate(part->getBlock());
    SmallVector<Value> inputs{place};
    SmallVector<AffineMap> maps{AffineMap::get(loops, 0, builder.getContext())};
    for (unsigned rank = 0; rank < ranks; ++rank) {
      SmallVector<AffineExpr> at{builder.getAffineDimExpr(0) + rank * type.getDimSize(0)};
      for (unsigned loop = 1; loop < loops; ++loop)
        at.push_back(builder.getAffineDimExpr(loop));
      inputs.push_back(part.getInput());
      maps.push_back(AffineMap::get(loops, 0, at, builder.getContext()));
    }
    return marked(graph::buildMap(
        builder, part.getLoc(), inputs, maps, type, [&](const graph::Scalars &s, ValueRange in) -> Value {
          Value own = in[1];
          for (unsigned rank = 1; rank < ranks; ++rank) {
            Value here = s.compare(arith::CmpIPredicate::eq, in[0], s.like(in[0], static_cast<double>(rank)));
            own = s.select(here, in[1 + rank], own);
          }
          return own;
        }));
  }

  /// The value where nothing else lies beside it: whoever computes it for the exchange alone has a buffer for
  /// it.
  Value ownBuffer(Value value) {
    Value computed = value;
    while (computed.hasOneUse() && computed.getDefiningOp<graph::ReshapeOp>())
      computed = computed.getDefiningOp<graph::ReshapeOp>().getInput();
    Operation *producer = computed.getDefiningOp();
    const bool isOwn = computed.hasOneUse() && producer && isa<graph::IterationSpaceOpInterface>(producer);
    return isOwn ? value : copy(value);
  }

  Value copy(Value value) {
    RankedTensorType type = graph::typeOf(value);
    return marked(graph::buildMap(builder, value.getLoc(), value,
                                  graph::identityMap(builder.getContext(), type.getRank()), type,
                                  [](const graph::Scalars &, ValueRange in) { return in[0]; }));
  }

  Value marked(Value made) {
    graph::setPhase(made.getDefiningOp(), phase);
    return made;
  }

  /// The coordinate of the rank: one feed for each block that reads it.
  Value coordinate(Block *block) {
    Value &fed = coordinates[block];
    if (!fed) {
      OpBuilder start = OpBuilder::atBlockBegin(block);
      fed = graph::FeedOp::create(start, block->getParentOp()->getLoc(),
                                  graph::tensorType({}, start.getI32Type()), graph::kTensorCoordinate);
    }
    return fed;
  }

  ArrayAttr axis() { return builder.getStrArrayAttr({graph::kTensorAxis}); }

  OpBuilder builder;
  std::optional<graph::Phase> phase;
  llvm::DenseMap<Block *, Value> coordinates;
};

struct LowerExchangesPass : impl::LowerExchangesBase<LowerExchangesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> exchanges;
    getOperation().walk([&](Operation *op) {
      if (isa<graph::VaryOp, graph::AllReduceOp, graph::AllGatherOp, graph::ReduceScatterOp,
              graph::OwnPartOp>(op))
        exchanges.push_back(op);
    });
    ExchangeLowering lowering(&getContext());
    for (Operation *op : exchanges)
      lowering.lower(op);
  }
};

} // namespace
} // namespace windlass::dist
