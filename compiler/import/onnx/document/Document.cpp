// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/document/Document.h"

#include "compiler/import/onnx/document/Roles.h"
#include "compiler/import/onnx/file/Reader.h"
#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/operators/Writer.h"
#include "compiler/import/onnx/repair/ClassifyWeights.h"
#include "compiler/import/onnx/repair/NormCalls.h"
#include "compiler/import/onnx/rewrite/Refusals.h"
#include "compiler/import/onnx/rewrite/Rewrite.h"
#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <set>

namespace windlass::onnx {
namespace {

using nlohmann::json;

/// The initial value of what a norm reads at an input; none: it is no norm's scale, shift or statistic.
std::optional<double> normInitializer(const Graph &graph, const Use &use) {
  constexpr double kScale = 1, kShift = 0, kRunningMean = 0, kRunningVariance = 1;
  if (use.node->is("BatchNormalization") && use.input > 2)
    return use.input == 3 ? kRunningMean : kRunningVariance;
  if (const std::optional<size_t> role = roleInNorm(*use.node, use.input))
    return *role == 0 ? kScale : kShift;
  const std::string leaf = leafOfGroupNorm(graph, use);
  return leaf.empty() ? std::nullopt : std::optional(leaf == "weight" ? kScale : kShift);
}

/// The initial value of a parameter that a norm reads, or a view of it; none: no norm reads it.
std::optional<double> normInitializer(const Graph &graph, const Uses &uses, ValueId parameter) {
  const auto readers = uses.find(parameter);
  if (readers == uses.end())
    return std::nullopt;
  for (const Use &use : readers->second) {
    const bool isViewed = isView(*use.node) && use.input == 0;
    if (const std::optional<double> value =
            isViewed ? normInitializer(graph, uses, use.node->outputs[0]) : normInitializer(graph, use))
      return value;
  }
  return std::nullopt;
}

/// The initialiser of a parameter: the one value of its elements, or their root mean square as the deviation
/// of a normal distribution.
Result<json> initializer(const Tensor &tensor) {
  const size_t width = static_cast<size_t>(bytesOf(tensor.type));
  double squares = 0;
  int64_t count = 0;
  std::optional<double> first;
  bool isUniform = true;
  WINDLASS_TRY(visitBytes(tensor, [&](std::string_view bytes) {
    for (size_t at = 0; at < bytes.size(); at += width, ++count) {
      const double value = realAt(tensor.type, bytes.data() + at);
      isUniform &= value == first.value_or(value);
      first = first.value_or(value);
      squares += value * value;
    }
  }));
  return isUniform ? json(first.value_or(0))
                   : json{{"normal", std::sqrt(squares / static_cast<double>(count))}};
}

constexpr const char *kOnlyReals = "must be of floating-point numbers where it depends on data";

/// Whether the op has integer operands that ONNX allows and a training step does not.
bool needsReals(const OpView &op) {
  static const std::set<std::string_view> all = {
      "Abs",       "Div",      "Gemm",         "MatMul",          "Pow",
      "ReduceL1",  "ReduceL2", "ReduceMax",    "ReduceMean",      "ReduceMin",
      "ReduceSum", "Relu",     "ReduceLogSum", "ReduceSumSquare", "ReduceLogSumExp"};
  return op.node.domain.empty() && all.contains(op.node.op) && !isFloat(op.type(0));
}

/// The values that norms read, and the operands of their shape of sums and other elementwise operations that
/// make such a value.
std::set<ValueId> hiddenStates(const Graph &graph) {
  static const std::set<std::string_view> elementwise = {"Add", "Sub", "Mul", "Div"};
  std::set<ValueId> hidden;
  for (const auto &node : graph.nodes | std::views::reverse) {
    if (node->is("LayerNormalization") || node->is("RMSNormalization"))
      hidden.insert(node->inputs[0]);
    if (node->domain.empty() && elementwise.contains(node->op) && hidden.contains(node->outputs[0]))
      for (ValueId id : node->inputs)
        if (graph.at(id).shape == graph.at(node->outputs[0]).shape)
          hidden.insert(id);
  }
  return hidden;
}

class DocumentWriter {
public:
  DocumentWriter(const Graph &graph, const ParameterTable &parameters, HiddenStates hidden)
      : graph(graph), parameters(parameters),
        writer(graph, hidden == HiddenStates::AsRows ? hiddenStates(graph) : std::set<ValueId>()) {}

  Result<json> write() {
    json document = {{"format", "windlass.model/1"}, {"dims", {{"B", "batch"}}}};
    document["inputs"] = inputs();
    json params = json::object();
    WINDLASS_TRY(writeParameters(params));
    document["params"] = params;
    Refusals refused(graph);
    for (const auto &node : graph.nodes)
      if (Status written = writeNode(*node); !written)
        refused.add(*node, written.message());
    if (!refused.areNone())
      return refused.status().in(graph.file);
    const std::string loss = writer.as(graph.outputs[0], writer.held(graph.outputs[0]));
    document["ops"] = writer.takeOps(loss);
    document["loss"] = loss;
    return document;
  }

private:
  bool isUsed(ValueId id) const {
    return std::ranges::count(graph.outputs, id) > 0 ||
           std::ranges::any_of(graph.nodes,
                               [&](const auto &node) { return std::ranges::count(node->inputs, id) > 0; });
  }

  json inputs() {
    const Roles roles(graph);
    json all = json::object();
    for (const Input &input : graph.inputs) {
      if (!isUsed(input.value))
        continue;
      const Value &value = graph.at(input.value);
      json shape = value.shape;
      shape[0] = "B";
      json one = roles.describe(input);
      one["shape"] = shape;
      all[value.name] = one;
      writer.declare(input.value, value.name, value.shape);
    }
    return all;
  }

  Status writeParameters(json &all) {
    const Uses uses = usesOf(graph);
    for (const Parameter &parameter : parameters.rows) {
      const Value &value = graph.at(parameter.value);
      if (value.literal || !isUsed(parameter.value))
        continue;
      if (!isFloat(value.type))
        return Status::badInput(graph.file + ": tensor \"" + parameter.name +
                                "\": what is no float must have at most " + std::to_string(kMostLiteral) +
                                " elements, has " + std::to_string(elementsOf(value.shape)));
      Result<json> init = initializer(value.weight->tensor);
      if (!init)
        return init.status();
      if (const std::optional<double> ofNorm = normInitializer(graph, uses, parameter.value);
          ofNorm && !init->is_number())
        init = json(*ofNorm);
      all[parameter.name] = {{"shape", value.shape}, {"init", *init}};
      if (!parameter.trainable) // a buffer that is too large for a constant
        all[parameter.name]["group"] = parameter.isStatistic ? "statistics" : "frozen";
      writer.declare(parameter.value, parameter.name, value.shape);
    }
    return Status::ok();
  }

  /// Results of a refused node are declared, too, so that the nodes after it can be judged.
  Status writeNode(const Node &node) {
    Status failure;
    OpView view(graph, node, failure);
    const Operator &op = *findOperator(node);
    if (view.need(op.write != nullptr, kOnlyKnown) && view.need(!needsReals(view), kOnlyReals))
      op.write(view, writer);
    for (size_t i = 1; i < node.outputs.size() && failure.isOk(); ++i)
      if (const ValueId id = node.outputs[i]; id != kAbsent && !writer.has(id) && isUsed(id))
        view.fail("result " + std::to_string(i) + " is not supported, and is read");
    for (ValueId id : node.outputs)
      if (!failure && id != kAbsent && !writer.has(id))
        writer.declare(id, graph.at(id).name, graph.at(id).shape);
    return failure;
  }

  const Graph &graph;
  const ParameterTable &parameters;
  Writer writer;
};

} // namespace

bool hasHiddenStates(const Graph &graph) {
  return std::ranges::any_of(hiddenStates(graph), [&](ValueId id) { return graph.at(id).shape.size() > 2; });
}

Result<json> writeDocument(const Graph &graph, const ParameterTable &parameters, HiddenStates hidden) {
  return DocumentWriter(graph, parameters, hidden).write();
}

} // namespace windlass::onnx
