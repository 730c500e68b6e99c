// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces the report of every gradient by an AdamW update of the parameter's states. To running statistics,
// adds their reported changes. If losses are scaled, gradients are unscaled, and a step whose gradients
// overflow changes no state.

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/ParameterGroups.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "passes/Graph/Attributes.h"
#include "passes/Graph/Passes.h"
#include <limits>

using namespace mlir;

namespace windlass::graph {

#define GEN_PASS_DEF_APPLYOPTIMIZER
#include "passes/Graph/Passes.h.inc"

namespace {

/// `usual`: the weight decay of the group kDecayGroup.
double decayOf(StateOp parameter, double usual) {
  if (const std::optional<APFloat> own = parameter.getDecay())
    return own->convertToDouble();
  return parameter.getGroup() == kDecayGroup ? usual : 0;
}

constexpr double kClipEpsilon = 1e-6; // torch.nn.utils.clip_grad_norm_

struct AdamW {
  double beta1, beta2, epsilon, weightDecay, clip;
  bool scaled;
};

/// The scalars of one step, the same for every parameter.
struct StepScalars {
  Value learningRate, correction1, correction2;
  Value inverseScale; ///< null when losses are not scaled
  Value factor;       ///< null when gradients are not clipped
  Value norm;         ///< of the unscaled gradients
};

/// One parameter and its gradient.
struct Trained {
  StateOp parameter;
  Value gradient;
};

class UpdateBuilder {
public:
  UpdateBuilder(ModuleOp module, StepOp train, const AdamW &adam)
      : train(train), adam(adam), symbols(module), builder(module.getContext()) {
    for (auto state : module.getOps<StateOp>())
      if (state.getRole() == Role::Master && state.getOf())
        masters[*state.getOf()] = state;
  }

  LogicalResult build();

private:
  FailureOr<SmallVector<Trained>> takeGradients();
  void buildScalars(ArrayRef<Trained> all);
  Value feed(StringRef item) { return FeedOp::create(builder, train.getLoc(), scalarType(), item); }
  RankedTensorType scalarType() { return tensorType({}, builder.getF32Type()); }
  StateOp addMoment(StateOp parameter, Role role, StringRef suffix);
  Value read(StateOp state) {
    return ReadOp::create(builder, train.getLoc(), state.getType(), state.getSymName());
  }
  void write(Value value, StateOp state) {
    WriteOp::create(builder, train.getLoc(), value, state.getSymName());
  }
  void update(const Trained &trained);
  void updateStatistic(const Trained &trained);
  SmallVector<Value> updateBody(const Scalars &s, ValueRange in, double weightDecay);
  SmallVector<Value> keptOnOverflow(const Scalars &s, Value norm, ValueRange old, ValueRange fresh);

  StepOp train;
  AdamW adam;
  SymbolTable symbols;
  llvm::StringMap<StateOp> masters; ///< by parameter
  OpBuilder builder;
  StepScalars scalars;
};

LogicalResult UpdateBuilder::build() {
  FailureOr<SmallVector<Trained>> all = takeGradients();
  if (failed(all))
    return failure();
  builder.setInsertionPointToEnd(&train.getBody().front());
  buildScalars(*all);
  for (const Trained &trained : *all)
    isStatistic(trained.parameter) ? updateStatistic(trained) : update(trained);
  return success();
}

FailureOr<SmallVector<Trained>> UpdateBuilder::takeGradients() {
  SmallVector<Trained> all;
  for (auto report : llvm::make_early_inc_range(train.getOps<ReportOp>())) {
    std::optional<StringRef> name = report.getGradientOf();
    if (!name)
      continue;
    auto parameter = symbols.lookup<StateOp>(*name);
    if (!parameter)
      return report.emitOpError("reports the gradient of \"") << *name << "\", which is no state";
    all.push_back({parameter, report.getValue()});
    report.erase();
  }
  if (llvm::all_of(all, [](const Trained &trained) { return isStatistic(trained.parameter); }))
    return train.emitOpError("reports no gradients to update by; differentiate must run first");
  return all;
}

void UpdateBuilder::buildScalars(ArrayRef<Trained> all) {
  SmallVector<Value> gradients;
  for (const Trained &trained : all)
    if (!isStatistic(trained.parameter))
      gradients.push_back(trained.gradient);
  Location loc = train.getLoc();
  Value &norm = scalars.norm;
  norm = GradNormOp::create(builder, loc, scalarType(), gradients);
  if (adam.scaled) {
    scalars.inverseScale = feed("inverse_loss_scale");
    norm = buildElementwise(builder, loc, {norm, scalars.inverseScale}, scalarType(),
                            [](const Scalars &s, ValueRange in) { return s.mul(in[0], in[1]); });
  }
  ReportOp::create(builder, loc, "grad_norm", norm, FlatSymbolRefAttr());
  if (adam.clip > 0)
    scalars.factor = buildElementwise(builder, loc, norm, scalarType(), [&](const Scalars &s, ValueRange in) {
      Value shifted = s.add(in[0], s.like(in[0], kClipEpsilon));
      Value quotient = s.div(s.like(in[0], adam.clip), shifted);
      return arith::MinimumFOp::create(s.builder, s.loc, quotient, s.like(in[0], 1.0)).getResult();
    });
  scalars.learningRate = feed("learning_rate");
  scalars.correction1 = feed("bias_correction1");
  scalars.correction2 = feed("bias_correction2");
}

StateOp UpdateBuilder::addMoment(StateOp parameter, Role role, StringRef suffix) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(parameter);
  auto zero = builder.getF64FloatAttr(0.0);
  auto state = StateOp::create(
      builder, parameter.getLoc(), (parameter.getSymName() + suffix).str(),
      withElement(parameter.getType(), builder.getF32Type()), role,
      InitAttr::get(builder.getContext(), /*normal=*/false, zero, zero, SourceAttr()),
      parameter.getOriginal(), parameter.getGroup(), FlatSymbolRefAttr::get(parameter.getSymNameAttr()),
      parameter.getSliceAttr(), /*decay=*/nullptr, parameter.getLayer());
  symbols.insert(state);
  return state;
}

void UpdateBuilder::update(const Trained &trained) {
  StateOp parameter = trained.parameter, master = masters.lookup(parameter.getSymName());
  // The later is inserted first, since both go right behind the parameter.
  StateOp variance = addMoment(parameter, Role::Variance, ".variance");
  StateOp momentum = addMoment(parameter, Role::Momentum, ".momentum");
  StateOp kept = master ? master : parameter;
  auto whole = cast<RankedTensorType>(parameter.getType());
  unsigned rank = whole.getRank();

  SmallVector<Value> inputs{read(kept),           read(momentum),      read(variance),     trained.gradient,
                            scalars.learningRate, scalars.correction1, scalars.correction2};
  for (Value scalar : {scalars.inverseScale, scalars.factor})
    if (scalar)
      inputs.push_back(scalar);
  if (adam.scaled)
    inputs.push_back(scalars.norm);
  SmallVector<AffineMap> maps(4, identityMap(builder.getContext(), rank));
  maps.resize(inputs.size(), leadingMap(builder.getContext(), rank, 0));
  SmallVector<Type> results(3, withElement(whole, builder.getF32Type()));
  if (master)
    results.push_back(whole);
  MapOp map = buildMap(builder, train.getLoc(), inputs, maps, results, [&](const Scalars &s, ValueRange in) {
    SmallVector<Value> fresh = updateBody(s, in, decayOf(parameter, adam.weightDecay));
    if (adam.scaled)
      fresh = keptOnOverflow(s, in.back(), in.take_front(3), fresh);
    if (master)
      fresh.push_back(fresh.front());
    return fresh;
  });
  write(map.getResult(0), kept);
  write(map.getResult(1), momentum);
  write(map.getResult(2), variance);
  if (master)
    write(map.getResult(3), parameter);
}

/// Adds the change that batches make, which stands in place of a gradient, to the running statistic.
void UpdateBuilder::updateStatistic(const Trained &trained) {
  StateOp state = trained.parameter;
  auto type = cast<RankedTensorType>(state.getType());
  SmallVector<Value> inputs{read(state), trained.gradient};
  SmallVector<AffineMap> maps(2, identityMap(builder.getContext(), type.getRank()));
  if (adam.scaled) {
    inputs.push_back(scalars.norm);
    maps.push_back(leadingMap(builder.getContext(), type.getRank(), 0));
  }
  write(buildMap(builder, train.getLoc(), inputs, maps, type,
                 [&](const Scalars &s, ValueRange in) -> Value {
                   Value changed = s.add(in[0], in[1]);
                   return adam.scaled ? keptOnOverflow(s, in.back(), in.front(), changed).front() : changed;
                 }),
        state);
}

/// The values to write to states: the old ones if some gradient is infinite or NaN, else the updated ones.
/// The norm then is infinite or NaN, too, and not less than infinity.
SmallVector<Value> UpdateBuilder::keptOnOverflow(const Scalars &s, Value norm, ValueRange old,
                                                 ValueRange fresh) {
  Value isFinite =
      s.compare(arith::CmpFPredicate::OLT, norm, s.like(norm, std::numeric_limits<double>::infinity()));
  return llvm::map_to_vector(llvm::zip_equal(old, fresh), [&](auto both) {
    return s.select(isFinite, std::get<1>(both), std::get<0>(both));
  });
}

/// The update of one element as torch.optim.AdamW computes it, in the same order of operations. One op per
/// statement, since C++ leaves the order within one open.
SmallVector<Value> UpdateBuilder::updateBody(const Scalars &s, ValueRange in, double weightDecay) {
  auto number = [&](double value) { return s.constant(builder.getF32Type(), value); };
  auto root = [&](Value a) { return math::SqrtOp::create(s.builder, s.loc, a).getResult(); };
  Value parameter = s.widen(in[0]), momentum = in[1], variance = in[2], gradient = s.widen(in[3]);
  Value learningRate = in[4], correction1 = in[5], correction2 = in[6];
  for (Value factor : in.slice(7, (scalars.inverseScale ? 1 : 0) + (scalars.factor ? 1 : 0)))
    gradient = s.mul(gradient, factor);
  if (weightDecay != 0) {
    Value decay = s.mul(learningRate, number(weightDecay));
    Value kept = s.sub(number(1.0), decay);
    parameter = s.mul(parameter, kept);
  }
  Value oldMomentum = s.mul(number(adam.beta1), momentum);
  Value newMomentum = s.mul(number(1 - adam.beta1), gradient);
  momentum = s.add(oldMomentum, newMomentum);
  Value oldVariance = s.mul(number(adam.beta2), variance);
  Value newVariance = s.mul(s.mul(number(1 - adam.beta2), gradient), gradient);
  variance = s.add(oldVariance, newVariance);

  Value deviation = root(variance);
  Value corrected = s.div(deviation, root(correction2));
  Value denominator = s.add(corrected, number(adam.epsilon));
  Value stepSize = s.div(learningRate, correction1);
  Value change = s.div(s.mul(stepSize, momentum), denominator);
  parameter = s.sub(parameter, change);
  return {parameter, momentum, variance};
}

struct ApplyOptimizerPass : impl::ApplyOptimizerBase<ApplyOptimizerPass> {
  using ApplyOptimizerBase::ApplyOptimizerBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto train = module.lookupSymbol<StepOp>("train");
    if (!train) {
      module.emitError("has no graph.step @train to update states in");
      return signalPassFailure();
    }
    AdamW adam{beta1, beta2, epsilon, weightDecay, clip, scaled};
    if (failed(UpdateBuilder(module, train, adam).build()))
      signalPassFailure();
  }
};

} // namespace
} // namespace windlass::graph
