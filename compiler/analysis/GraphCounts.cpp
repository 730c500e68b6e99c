// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/GraphCounts.h"

#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphCalls.h"
#include "dialects/Graph/IR/GraphExchange.h"
#include "dialects/Graph/IR/RunningStatistics.h"
#include "passes/Graph/Attributes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace windlass::analysis {
namespace {

int64_t bytesOf(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// The body of the micro-batches of @train; null without @train.
Block *microBatch(ModuleOp module) {
  auto train = module.lookupSymbol<graph::StepOp>("train");
  if (!train)
    return nullptr;
  for (auto micro : train.getBody().front().getOps<graph::MicroBatchesOp>())
    return &micro.getBody().front();
  return nullptr;
}

/// The value that `value` is a reshape of, or `value` itself.
Value stored(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getInput();
  return value;
}

/// Whether `value` is computed by the forward pass of `body`; parameters and inputs are not.
bool isActivation(Value value, Block *body) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == body && !graph::phaseOf(op) && !isa<graph::ReadOp, graph::FeedOp>(op);
}

/// The whole tensors that the collectives of an exchange move.
int64_t exchangedBy(Operation &op) {
  const auto elements = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getNumElements();
  };
  if (auto reduce = dyn_cast<graph::AllReduceOp>(op))
    return 2 * elements(reduce.getResult());
  if (auto gather = dyn_cast<graph::AllGatherOp>(op))
    return elements(gather.getResult());
  if (auto scatter = dyn_cast<graph::ReduceScatterOp>(op))
    return elements(scatter.getInput());
  return 0;
}

/// The last dimension of what a layer hands to the next; nothing if it hands on tensors of several widths.
std::optional<int64_t> carriedWidth(func::CallOp layer) {
  std::optional<int64_t> width;
  for (Type type : layer.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getRank() < 2) // a number, such as a loss
      continue;
    const int64_t found = tensor.getShape().back();
    if (width.value_or(found) != found)
      return std::nullopt;
    width = found;
  }
  return width;
}

void add(MatmulFlops &sum, std::optional<graph::Phase> phase, double flops) {
  (phase == graph::Phase::Backward    ? sum.backward
   : phase == graph::Phase::Recompute ? sum.recompute
                                      : sum.forward) += flops;
}

} // namespace

ParameterCounts countParameters(ModuleOp module) {
  ParameterCounts counts;
  for (auto state : module.getOps<graph::StateOp>()) {
    if (state.getRole() != graph::Role::Parameter || graph::isStatistic(state))
      continue;
    auto type = cast<RankedTensorType>(state.getType());
    int64_t &count = state.getLayer().empty() ? counts.outside
                     : type.getRank() >= 2    ? counts.matrices
                                              : counts.vectors;
    count += type.getNumElements();
  }
  return counts;
}

std::optional<TransformerSizes> findTransformer(ModuleOp imported) {
  auto evaluate = imported.lookupSymbol<graph::StepOp>("evaluate");
  if (!evaluate)
    return std::nullopt;
  std::optional<TransformerSizes> sizes;
  int64_t layers = 0;
  for (auto call : evaluate.getBody().front().getOps<func::CallOp>()) {
    auto attentions = graph::calleeOf(call).getOps<graph::AttentionOp>();
    if (!llvm::hasSingleElement(attentions))
      return std::nullopt;
    graph::AttentionOp attention = *attentions.begin();
    RankedTensorType result = graph::typeOf(attention.getResult());
    auto batch = static_cast<int64_t>(attention.getBatch());
    const std::optional<int64_t> hidden = carriedWidth(call);
    if (!hidden)
      return std::nullopt;
    TransformerSizes found{
        {0, *hidden, static_cast<int64_t>(attention.getHeads()), result.getDimSize(0) / batch},
        result.getDimSize(1),
        batch};
    if (sizes && *sizes != found)
      return std::nullopt;
    sizes = found;
    ++layers;
  }
  if (sizes)
    sizes->model.layers = layers;
  return sizes;
}

KeptBytes countKept(ModuleOp module) {
  KeptBytes kept;
  Block *body = microBatch(module);
  if (!body)
    return kept;
  llvm::DenseSet<Value> seen;
  llvm::StringMap<int64_t> byLayer;
  for (Operation &op : *body) {
    if (!graph::phaseOf(&op))
      continue;
    auto layer = op.getAttrOfType<StringAttr>(graph::kLayer);
    int64_t &sum = layer ? byLayer[layer.getValue()] : kept.outside;
    for (Value operand : op.getOperands())
      if (Value value = stored(operand); isActivation(value, body) && seen.insert(value).second)
        sum += bytesOf(value.getType());
  }
  for (const auto &layer : byLayer) {
    kept.layers += layer.second;
    kept.largestLayer = std::max(kept.largestLayer, layer.second);
  }
  return kept;
}

FlopCounts countMatmuls(ModuleOp module) {
  FlopCounts counts;
  Block *body = microBatch(module);
  if (!body)
    return counts;
  for (Operation &op : *body) {
    const std::optional<graph::Phase> phase = graph::phaseOf(&op);
    if (auto matmul = dyn_cast<graph::MatmulOp>(op))
      add(counts.outside, phase, matmul.getFlops());
    if (auto call = dyn_cast<func::CallOp>(op))
      for (auto matmul : graph::calleeOf(call).getOps<graph::MatmulOp>())
        add(counts.layers, graph::phaseOf(matmul) ? graph::phaseOf(matmul) : phase, matmul.getFlops());
  }
  return counts;
}

ExchangedElements countExchanges(ModuleOp module) {
  Block *body = microBatch(module);
  llvm::StringMap<ExchangedElements> byLayer;
  for (auto call : body ? llvm::to_vector(body->getOps<func::CallOp>()) : SmallVector<func::CallOp>())
    if (auto layer = call->getAttrOfType<StringAttr>(graph::kLayer))
      for (Operation &op : graph::calleeOf(call).getOps())
        if (const int64_t elements = exchangedBy(op)) {
          const bool isVector = cast<RankedTensorType>(op.getResult(0).getType()).getRank() == 1;
          ExchangedElements &sum = byLayer[layer.getValue()];
          (isVector ? sum.parameters : sum.activations) += elements;
        }
  ExchangedElements most;
  for (const auto &layer : byLayer)
    if (layer.second.activations > most.activations)
      most = layer.second;
  return most;
}

StateCounts countStates(ModuleOp module) {
  StateCounts counts;
  llvm::StringMap<int64_t> gradients;
  if (Block *body = microBatch(module)) {
    auto micro = cast<graph::MicroBatchesOp>(body->getParentOp());
    auto of = micro.getGradientOfAttr();
    for (auto [state, sum] : llvm::zip(of.getAsRange<FlatSymbolRefAttr>(), micro.getSums())) {
      counts.gradients += bytesOf(sum.getType());
      gradients[state.getValue()] = bytesOf(sum.getType());
    }
  }
  for (auto state : module.getOps<graph::StateOp>()) {
    int64_t bytes = bytesOf(state.getType());
    (state.getRole() == graph::Role::Parameter ? counts.parameters : counts.optimizer) += bytes;
    if (state.getRole() == graph::Role::Parameter && !state.getLayer().empty())
      counts.largestOperator = std::max(counts.largestOperator, bytes + gradients.lookup(state.getSymName()));
  }
  return counts;
}

} // namespace windlass::analysis
