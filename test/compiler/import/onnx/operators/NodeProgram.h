// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NodeProgram.h - a node test on the interpreter ======================//
//
// Duty: makes a node test a model that can be trained: inputs are parameters or
// known before the run, and the loss is the sum of all results, each element times
// a weight of its own. So the gradients of the weights are the results.
// Errors: what Windlass refuses is a Status.
// Threads: one program, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "test/compiler/import/onnx/operators/NodeData.h"
#include <map>
#include <memory>

namespace windlass::test {

/// Which inputs are known before the run; the others are parameters, integers by way of a cast.
enum class Known { None, Integers, All };

class NodeProgram {
public:
  using Tensors = std::map<std::string, interpreter::Tensor>;

  static Result<std::unique_ptr<NodeProgram>> make(const std::string &folder, Known known);

  /// Whether anything depends on a parameter; otherwise there is no loss.
  bool isComputed() const { return static_cast<bool>(module); }
  /// The graph's results, in its order.
  Result<std::vector<interpreter::Tensor>> results();
  /// The loss and its gradients at these parameters.
  double loss(const Tensors &parameters);
  Tensors gradients(const Tensors &parameters);

  /// Parameters with the test's values, weights of results with random ones.
  Tensors parameters;
  /// The parameters that were numbers in the test, and may have gradients.
  std::vector<std::string> differentiable;

private:
  NodeProgram() = default;
  Status takeInputs(NodeData &data, Known known);
  Status addLoss(onnx::Graph &graph);
  Status build(onnx::Graph &graph);
  Result<Tensors> run(const char *step, const Tensors &states);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null where all results are known
  std::vector<onnx::ValueId> weights;       ///< all parameters of the graph
  struct Output {
    std::string weight; ///< the parameter whose gradient it is; empty where it is known
    interpreter::Tensor known;
    std::vector<int64_t> shape;
  };
  std::vector<Output> outputs;
};

} // namespace windlass::test
