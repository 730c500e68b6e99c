// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// States, feeds, reports, calls, micro-batches.

#include "compiler/interpreter/Evaluators.h"
#include "dialects/Graph/IR/GraphBuilders.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "runtime/base/Random.h"

using namespace mlir;

namespace windlass::interpreter {

/// The index of element `i` of a slice in the whole tensor; `shape`: of the slice.
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
    const RandomStream random(seed, 0, streamOf(original));
    std::array<double, 4> normals = {};
    int64_t quad = -1; // that of `normals`
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const int64_t element = slice ? elementOfWhole(slice, type.getShape(), i) : i;
      if (element / 4 != quad)
        normals = random.normals(quad = element / 4);
      tensor.data[i] = mean + std * normals[element % 4];
    }
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

/// The ranks of a tensor-parallel group. They are consecutive, so that a group is one data place.
static int tensorRanks(Operation *op) {
  return static_cast<int>(graph::tensorRanksOf(op->getParentOfType<ModuleOp>()));
}

/// A rank's part of the first value of the whole tensor; padding is zero.
static Tensor initialPart(graph::StateOp state, const graph::StateSplit &split, int64_t coordinate,
                          uint64_t seed) {
  auto type = cast<RankedTensorType>(state.getType());
  Tensor whole = initialValue(state.getInit(), state.getOriginal(),
                              RankedTensorType::get(split.whole, type.getElementType()), nullptr, seed);
  Tensor part(type.getShape());
  const graph::SliceAttr slice = state.getSliceAttr(); // of the rank's part
  for (int64_t i = 0; i < part.size(); ++i)
    if (std::optional<int64_t> element =
            split.wholeElement(coordinate, slice ? elementOfWhole(slice, type.getShape(), i) : i))
      part.data[i] = whole.data[*element];
  return part;
}

static Tensor initialOf(graph::StateOp state, int64_t coordinate, uint64_t seed) {
  if (std::optional<graph::StateSplit> split = graph::splitOf(state))
    return initialPart(state, *split, coordinate, seed);
  return initialValue(state.getInit(), state.getOriginal(), cast<RankedTensorType>(state.getType()),
                      state.getSliceAttr(), seed);
}

static Status evaluateRead(Operation *op, Execution &execution) {
  auto read = cast<graph::ReadOp>(op);
  auto state = SymbolTable::lookupNearestSymbolFrom<graph::StateOp>(op, read.getStateAttr());
  const int sharers = tensorRanks(op);
  for (int rank = 0; rank < execution.ranks(); ++rank) {
    States &states = execution.states(rank);
    auto found = states.find(read.getState());
    if (found == states.end() && state.getInit().getSource())
      return startsFromFile(state.getOriginal());
    if (found == states.end())
      found =
          states.emplace(read.getState().str(), initialOf(state, rank % sharers, execution.options().seed))
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
  const int sharers = tensorRanks(op);
  for (int rank = 0; rank < execution.ranks(); ++rank) {
    if (feed.getItem() == graph::kTensorCoordinate) {
      execution.set(rank, feed.getValue(), Tensor(ArrayRef<int64_t>{}, rank % sharers));
      continue;
    }
    auto tensor =
        execution.takeFeed({feed.getItem().str(), cast<RankedTensorType>(feed.getValue().getType()),
                            static_cast<int64_t>(feed.getBound()), rank / sharers, execution.microBatch});
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

/// The yield of `value` on each rank. If the options say so, yields are summed over data ranks in rank order.
/// Each rank of a tensor-parallel group has a sum of its own.
static Tensors yieldedByRank(Value value, int sharers, const Execution &execution) {
  Tensors terms;
  for (int rank = 0; rank < execution.ranks(); ++rank)
    terms.push_back(execution.get(rank, value));
  if (!execution.options().sumOverRanks)
    return terms;
  for (int rank = sharers; rank < execution.ranks(); ++rank)
    addTo(terms[rank % sharers], terms[rank]);
  for (int rank = 0; rank < execution.ranks(); ++rank) {
    if (rank >= sharers)
      terms[rank] = terms[rank % sharers];
    else if (execution.options().roundToTypes)
      roundTo(terms[rank], cast<RankedTensorType>(value.getType()).getElementType());
  }
  return terms;
}

static Status evaluateMicroBatches(Operation *op, Execution &execution) {
  auto batches = cast<graph::MicroBatchesOp>(op);
  Block &body = batches.getBody().front();
  const int sharers = tensorRanks(op);
  for (int64_t batch = 0, count = static_cast<int64_t>(batches.getCount()); batch < count; ++batch) {
    execution.microBatch = batch;
    WINDLASS_TRY(execution.runBlock(body));
    for (auto [result, value] : llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands())) {
      Tensors terms = yieldedByRank(value, sharers, execution);
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
