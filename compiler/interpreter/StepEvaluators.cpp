// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States, feeds, reports, calls, micro-batches.

#include "compiler/interpreter/Evaluators.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "runtime/base/Random.h"

using namespace mlir;

namespace windlass::interpreter {

/// Where element `i` of a tensor of this shape lies in the tensor it is a slice of.
static int64_t elementOfWhole(graph::SliceAttr slice, ArrayRef<int64_t> shape, int64_t i) {
  int64_t element = 0, stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; i /= shape[dim], stride *= slice.getWhole()[dim])
    element += (slice.getBegin()[dim] + i % shape[dim]) * stride;
  return element;
}

Tensor initialValue(graph::InitAttr init, StringRef original, RankedTensorType type, graph::SliceAttr slice,
                    uint64_t seed) {
  double mean = init.getMean().getValueAsDouble(), std = init.getStd().getValueAsDouble();
  Tensor tensor(type.getShape(), mean);
  if (init.getNormal()) {
    RandomStream random(seed, 0, streamOf(original));
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.data[i] = mean + std * random.normal(slice ? elementOfWhole(slice, type.getShape(), i) : i);
  }
  roundTo(tensor, type.getElementType());
  return tensor;
}

Status startsFromFile(StringRef original) {
  return Status::badInput(
      "state \"" + original.str() +
      "\" starts from a weight file, which the interpreter does not read: give its value, or "
      "import the model without weights");
}

static Status evaluateRead(Operation *op, Execution &execution) {
  auto read = cast<graph::ReadOp>(op);
  auto state = SymbolTable::lookupNearestSymbolFrom<graph::StateOp>(op, read.getStateAttr());
  for (int rank = 0; rank < execution.ranks(); ++rank) {
    States &states = execution.states(rank);
    auto found = states.find(read.getState());
    if (found == states.end() && state.getInit().getSource())
      return startsFromFile(state.getOriginal());
    if (found == states.end())
      found = states
                  .emplace(read.getState().str(),
                           initialValue(state.getInit(), state.getOriginal(), graph::typeOf(read.getValue()),
                                        state.getSliceAttr(), execution.options().seed))
                  .first;
    execution.set(rank, read.getValue(), found->second);
  }
  return Status::ok();
}

static Status evaluateWrite(Operation *op, Execution &execution) {
  auto write = cast<graph::WriteOp>(op);
  for (int rank = 0; rank < execution.ranks(); ++rank)
    execution.write(rank, write.getState(), execution.get(rank, write.getValue()));
  return Status::ok();
}

static Status evaluateFeed(Operation *op, Execution &execution) {
  auto feed = cast<graph::FeedOp>(op);
  for (int rank = 0; rank < execution.ranks(); ++rank) {
    auto tensor = execution.takeFeed({feed.getItem().str(), cast<RankedTensorType>(feed.getValue().getType()),
                                      static_cast<int64_t>(feed.getBound()), rank, execution.microBatch});
    if (!tensor)
      return tensor.status();
    execution.set(rank, feed.getValue(), tensor.take());
  }
  return Status::ok();
}

static Status evaluateReport(Operation *op, Execution &execution) {
  auto report = cast<graph::ReportOp>(op);
  for (int rank = 0; rank < execution.ranks(); ++rank)
    execution.report(
        {report.getItem().str(), rank, execution.microBatch, execution.get(rank, report.getValue())});
  return Status::ok();
}

Status evaluateCallTo(StringRef function, Operation *op, Execution &execution) {
  func::FuncOp callee = execution.lookup(function);
  if (!callee)
    return Status::badInput("there is no function '" + function.str() + "'");
  std::vector<Tensors> arguments(execution.ranks());
  for (int rank = 0; rank < execution.ranks(); ++rank)
    for (Value operand : op->getOperands())
      arguments[rank].push_back(execution.get(rank, operand));
  auto results = execution.call(callee, std::move(arguments));
  if (!results)
    return results.status();
  for (int rank = 0; rank < execution.ranks(); ++rank)
    for (auto [result, tensor] : llvm::zip_equal(op->getResults(), (*results)[rank]))
      execution.set(rank, result, std::move(tensor));
  return Status::ok();
}

static void addTo(Tensor &sum, const Tensor &term) {
  for (int64_t i = 0; i < sum.size(); ++i)
    sum.data[i] += term.data[i];
}

/// What each rank yields of `value`, summed over ranks in rank order if the options say so.
static Tensors yieldedByRank(Value value, const Execution &execution) {
  Tensors terms;
  for (int rank = 0; rank < execution.ranks(); ++rank)
    terms.push_back(execution.get(rank, value));
  if (!execution.options().sumOverRanks)
    return terms;
  for (int rank = 1; rank < execution.ranks(); ++rank)
    addTo(terms[0], terms[rank]);
  if (execution.options().roundToTypes)
    roundTo(terms[0], cast<RankedTensorType>(value.getType()).getElementType());
  return Tensors(execution.ranks(), terms[0]);
}

static Status evaluateMicroBatches(Operation *op, Execution &execution) {
  auto batches = cast<graph::MicroBatchesOp>(op);
  Block &body = batches.getBody().front();
  for (int64_t batch = 0, count = static_cast<int64_t>(batches.getCount()); batch < count; ++batch) {
    execution.microBatch = batch;
    WINDLASS_TRY(execution.runBlock(body));
    for (auto [result, value] : llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands())) {
      Tensors terms = yieldedByRank(value, execution);
      for (int rank = 0; rank < execution.ranks(); ++rank) {
        if (batch > 0)
          addTo(terms[rank], execution.get(rank, result));
        execution.set(rank, result, std::move(terms[rank]));
      }
    }
  }
  execution.microBatch = 0;
  return Status::ok();
}

void addStepEvaluators(Interpreter &interpreter) {
  interpreter.setEvaluator(graph::ReadOp::getOperationName(), evaluateRead);
  interpreter.setEvaluator(graph::WriteOp::getOperationName(), evaluateWrite);
  interpreter.setEvaluator(graph::FeedOp::getOperationName(), evaluateFeed);
  interpreter.setEvaluator(graph::ReportOp::getOperationName(), evaluateReport);
  interpreter.setEvaluator(func::CallOp::getOperationName(), [](Operation *op, Execution &execution) {
    return evaluateCallTo(cast<func::CallOp>(op).getCallee(), op, execution);
  });
  interpreter.setEvaluator(graph::MicroBatchesOp::getOperationName(), evaluateMicroBatches);
}

} // namespace windlass::interpreter
