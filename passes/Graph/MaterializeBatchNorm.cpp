// Gives the train step batch norms that normalise with the batch itself.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_MATERIALIZEBATCHNORM
#include "passes/Graph/Passes.h.inc"

namespace {

/// The momenta of the batch norms of a block, each once, in program order.
SmallVector<double> momentaOf(Block &block) {
  SmallVector<double> momenta;
  for (auto norm : block.getOps<BatchNormOp>())
    if (double momentum = norm.getMomentum().convertToDouble(); !llvm::is_contained(momenta, momentum))
      momenta.push_back(momentum);
  return momenta;
}

/// Gives every batch norm of a block the share of its momentum.
void train(Block &block, llvm::function_ref<Value(double)> shareOf) {
  for (auto norm : block.getOps<BatchNormOp>())
    norm.getShareMutable().assign(shareOf(norm.getMomentum().convertToDouble()));
}

/// The share that the batch of one micro-batch has in the running statistics after the step, as PyTorch's
/// DistributedDataParallel keeps them: those of the first rank, which change with each of its micro-batches.
/// So `later` batches of the same rank leave (1 - momentum)^later of it.
struct Share {
  int64_t ranks, microBatches;

  /// `block` is how many batches of the step stand before this one, rank by rank in every micro-batch.
  Value of(const Scalars &s, Value block, double momentum) const {
    Value number = arith::SIToFPOp::create(s.builder, s.loc, s.builder.getF32Type(), block);
    Value round = math::FloorOp::create(s.builder, s.loc, s.div(number, s.like(number, double(ranks))));
    Value isFirst = s.compare(arith::CmpFPredicate::OEQ, number, s.mul(round, s.like(round, double(ranks))));
    Value later = s.sub(s.like(round, double(microBatches - 1)), round);
    Value left = power(s, 1 - momentum, later);
    Value share = s.mul(left, s.like(left, momentum));
    return s.select(isFirst, share, s.like(share, 0));
  }

private:
  /// base^exponent of a whole number below `microBatches`, by its bits: only products, which every machine
  /// rounds alike.
  Value power(const Scalars &s, double base, Value exponent) const {
    Value bits = arith::FPToSIOp::create(s.builder, s.loc, s.builder.getI32Type(), exponent);
    Value product = s.like(exponent, 1);
    for (int64_t bit = 1; bit < microBatches; bit *= 2, base *= base) {
      Value masked = arith::AndIOp::create(s.builder, s.loc, bits, s.like(bits, double(bit)));
      Value isSet = s.compare(arith::CmpIPredicate::ne, masked, s.like(bits, 0));
      product = s.select(isSet, s.mul(product, s.like(product, base)), product);
    }
    return product;
  }
};

/// Switches the batch norms of the train step and of the functions it calls.
class TrainingNorms {
public:
  TrainingNorms(StepOp step, Share share)
      : module(step->getParentOfType<ModuleOp>()), step(step), share(share), builder(step.getContext()) {}

  void run() {
    auto shareOf = [&](double momentum) { return sharedBy(momentum); };
    train(body(), shareOf);
    for (auto call : llvm::make_early_inc_range(body().getOps<func::CallOp>())) {
      func::FuncOp function = module.lookupSymbol<func::FuncOp>(call.getCallee());
      SmallVector<double> momenta = momentaOf(function.front());
      if (momenta.empty())
        continue;
      call.setCallee(trainingForm(function, momenta).getName());
      call.getOperandsMutable().append(llvm::map_to_vector(momenta, shareOf));
    }
  }

private:
  Block &body() { return step.getBody().front(); }

  /// Of a batch norm of the step with this momentum.
  Value sharedBy(double momentum) {
    Value &value = shares[momentum];
    if (value)
      return value;
    Value block = rowBlock();
    builder.setInsertionPointAfterValue(block);
    RankedTensorType type = tensorType({}, builder.getF32Type());
    return value = buildMap(builder, step.getLoc(), block, identityMap(builder.getContext(), 0), type,
                            [&](const Scalars &s, ValueRange in) { return share.of(s, in[0], momentum); });
  }

  /// What dropout reads, too.
  Value rowBlock() {
    for (auto feed : body().getOps<FeedOp>())
      if (feed.getItem() == kRowBlock)
        return feed.getValue();
    builder.setInsertionPointToStart(&body());
    return FeedOp::create(builder, step.getLoc(), tensorType({}, builder.getI32Type()), kRowBlock);
  }

  /// The function as the train step calls it, with a share for each momentum as its last arguments; a copy
  /// where another step calls it, too.
  func::FuncOp trainingForm(func::FuncOp function, ArrayRef<double> momenta) {
    func::FuncOp &form = forms[function];
    if (form)
      return form;
    form = function;
    auto uses = SymbolTable::getSymbolUses(function, module);
    if (uses && llvm::any_of(*uses, [&](SymbolTable::SymbolUse use) {
          return use.getUser()->getParentOfType<StepOp>() != step;
        })) {
      builder.setInsertionPointAfter(function);
      form = cast<func::FuncOp>(builder.clone(*function));
      form.setName((function.getName() + ".train").str());
    }
    std::map<double, Value> arguments;
    for (double momentum : momenta) {
      (void)form.insertArgument(form.getNumArguments(), tensorType({}, builder.getF32Type()), {},
                                form.getLoc());
      arguments[momentum] = form.getArguments().back();
    }
    train(form.front(), [&](double momentum) { return arguments.at(momentum); });
    return form;
  }

  ModuleOp module;
  StepOp step;
  Share share;
  OpBuilder builder;
  std::map<double, Value> shares;                   ///< by momentum
  llvm::MapVector<Operation *, func::FuncOp> forms; ///< by the function they were made of
};

/// Whether a step normalises batches, itself or in the functions it calls.
bool normalises(StepOp step) {
  auto module = step->getParentOfType<ModuleOp>();
  return llvm::any_of(step.getBody().front(), [&](Operation &op) {
    auto call = dyn_cast<func::CallOp>(op);
    auto function = call ? module.lookupSymbol<func::FuncOp>(call.getCallee()) : func::FuncOp();
    return isa<BatchNormOp>(op) ||
           (function && !function.isExternal() && !function.front().getOps<BatchNormOp>().empty());
  });
}

struct MaterializeBatchNormPass : impl::MaterializeBatchNormBase<MaterializeBatchNormPass> {
  using MaterializeBatchNormBase::MaterializeBatchNormBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto evaluate = module.lookupSymbol<StepOp>("evaluate"), train = module.lookupSymbol<StepOp>("train");
    if (!evaluate || !normalises(evaluate))
      return;
    if (failed(verifyStatistics(evaluate)))
      return signalPassFailure();
    if (!train) {
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfter(evaluate);
      train = cast<StepOp>(builder.clone(*evaluate));
      train.setName("train");
    }
    TrainingNorms(train, {ranks, microBatches}).run();
  }
};

} // namespace
} // namespace windlass::graph
