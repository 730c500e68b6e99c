// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks that share out operations: consecutive ones, as those of the last axis of a mesh
// are.

#include "compiler/interpreter/Evaluators.h"
#include "dialects/Graph/IR/GraphExchange.h"

using namespace mlir;

namespace windlass::interpreter {

/// From the terms of a group's ranks, in rank order, to what each of them gets.
using Exchange = Tensors (*)(const std::vector<const Tensor *> &terms);

static Tensor sumOf(const std::vector<const Tensor *> &terms) {
  Tensor sum = *terms.front();
  for (const Tensor *term : ArrayRef(terms).drop_front())
    for (int64_t i = 0; i < sum.size(); ++i)
      sum.data[i] += term->data[i];
  return sum;
}

/// The rows of each of `ranks` ranks.
static Tensors cutRows(const Tensor &whole, size_t ranks) {
  Tensors parts;
  std::vector<int64_t> shape = whole.shape;
  shape.front() /= static_cast<int64_t>(ranks);
  for (size_t place = 0; place < ranks; ++place) {
    Tensor &part = parts.emplace_back(ArrayRef<int64_t>(shape));
    std::copy_n(whole.data.begin() + static_cast<int64_t>(place) * part.size(), part.size(),
                part.data.begin());
  }
  return parts;
}

static Tensors vary(const std::vector<const Tensor *> &values) {
  Tensors same;
  for (const Tensor *value : values)
    same.push_back(*value);
  return same;
}

static Tensors allReduce(const std::vector<const Tensor *> &terms) {
  return Tensors(terms.size(), sumOf(terms));
}

static Tensors allGather(const std::vector<const Tensor *> &parts) {
  Tensor whole = *parts.front();
  whole.shape.front() *= std::ssize(parts);
  for (const Tensor *part : ArrayRef(parts).drop_front())
    whole.data.insert(whole.data.end(), part->data.begin(), part->data.end());
  return Tensors(parts.size(), whole);
}

static Tensors reduceScatter(const std::vector<const Tensor *> &terms) {
  return cutRows(sumOf(terms), terms.size());
}

static Tensors ownPart(const std::vector<const Tensor *> &values) {
  Tensors own;
  for (size_t place = 0; place < values.size(); ++place)
    own.push_back(cutRows(*values[place], values.size())[place]);
  return own;
}

template <typename OpT> static void addExchange(Interpreter &interpreter, Exchange exchange) {
  interpreter.setEvaluator(OpT::getOperationName(), [exchange](Operation *op, Execution &execution) {
    auto typed = cast<OpT>(op);
    const int ranks = static_cast<int>(typed.getRanks());
    if (execution.ranks() % ranks != 0)
      return Status::badInput("an exchange between " + std::to_string(ranks) + " ranks does not divide " +
                              std::to_string(execution.ranks()) + " virtual ranks");
    for (int first = 0; first < execution.ranks(); first += ranks) {
      std::vector<const Tensor *> inputs;
      for (int rank = first; rank < first + ranks; ++rank)
        inputs.push_back(&execution.get(rank, typed.getInput()));
      Tensors results = exchange(inputs);
      for (int place = 0; place < ranks; ++place)
        execution.set(first + place, typed.getResult(), std::move(results[place]));
    }
    return Status::ok();
  });
}

void addExchangeEvaluators(Interpreter &interpreter) {
  addExchange<graph::VaryOp>(interpreter, vary);
  addExchange<graph::AllReduceOp>(interpreter, allReduce);
  addExchange<graph::AllGatherOp>(interpreter, allGather);
  addExchange<graph::ReduceScatterOp>(interpreter, reduceScatter);
  addExchange<graph::OwnPartOp>(interpreter, ownPart);
}

} // namespace windlass::interpreter
