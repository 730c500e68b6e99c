// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NodeProgram.h - node tests on the interpreter =========================//
//
// Duty: makes a trainable model of a node test. Inputs become parameters or constants. The loss is the sum of
// all elements of the results, each times a weight of its own, so that the gradients of these weights are the
// results.
// Errors: a Status if Windlass refuses the test.
// Threads: one per program.
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

/// The inputs that become constants. The others become parameters; casts convert them for integer inputs.
enum class Known { None, Integers, All };

class NodeProgram {
public:
  using Tensors = std::map<std::string, interpreter::Tensor>;

  static Result<std::unique_ptr<NodeProgram>> make(const std::string &folder, Known known);

  /// Whether a result depends on a parameter; otherwise there is no loss.
  bool isComputed() const { return static_cast<bool>(module); }
  /// The results of the graph, in its order.
  Result<std::vector<interpreter::Tensor>> results();
  /// The loss at these parameters, and its gradients for the parameters in `differentiable`.
  double loss(const Tensors &parameters);
  Tensors gradients(const Tensors &parameters);

  /// The parameters. Inputs have the values of the test; weights of results have random values.
  Tensors parameters;
  /// The parameters whose inputs are floats, and which may have gradients.
  std::vector<std::string> differentiable;

private:
  NodeProgram() = default;
  Status takeInputs(NodeData &data, Known known);
  Status addLoss(onnx::Graph &graph);
  Status build(onnx::Graph &graph);
  Result<Tensors> run(const char *step, const Tensors &states);

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null if all results are constants
  std::vector<onnx::ValueId> weights;       ///< all parameters of the graph
  struct Output {
    std::string weight; ///< the parameter whose gradient is the result; empty if it is a constant
    interpreter::Tensor known;
    std::vector<int64_t> shape;
  };
  std::vector<Output> outputs;
};

} // namespace windlass::test
