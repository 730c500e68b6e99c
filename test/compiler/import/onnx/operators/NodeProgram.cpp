// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/import/onnx/operators/NodeProgram.h"

#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/import/onnx/document/Document.h"
#include "compiler/import/onnx/operators/Dropout.h"
#include "compiler/import/onnx/recognize/Recognize.h"
#include "compiler/import/onnx/repair/BatchNorms.h"
#include "compiler/import/onnx/rewrite/FoldConstants.h"
#include "compiler/import/onnx/rewrite/Rewrite.h"
#include "compiler/import/onnx/rewrite/Simplify.h"
#include "compiler/interpreter/Interpreter.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Graph/Passes.h"
#include "test/compiler/import/ImportTesting.h"
#include <cstring>
#include <random>

namespace windlass::test {
namespace {

using onnx::Literal;
using onnx::ValueId;

interpreter::Tensor tensorOf(const Literal &literal) {
  interpreter::Tensor tensor(llvm::ArrayRef(literal.shape));
  for (int64_t i = 0; i < literal.size(); ++i)
    tensor.data[static_cast<size_t>(i)] = literal.real(i);
  return tensor;
}

/// Adds a parameter of f32. Its values are set when a step runs.
ValueId addWeight(onnx::Graph &graph, const std::string &name, const onnx::Shape &shape) {
  onnx::Weight weight;
  weight.tensor.type = onnx::DataType::Float;
  weight.tensor.shape = shape;
  weight.tensor.bytes.assign(static_cast<size_t>(weight.tensor.byteSize()), '\0');
  onnx::Value value;
  value.name = name;
  value.type = onnx::DataType::Float;
  value.shape = shape;
  value.weight = std::make_shared<onnx::Weight>(std::move(weight));
  return graph.add(std::move(value));
}

/// Whether a value is a running statistic, whose change no gradient describes.
bool isStatistic(const onnx::Graph &graph, ValueId id) {
  return std::ranges::any_of(graph.nodes, [&](const auto &node) {
    return onnx::isTrainingNorm(*node) && std::ranges::find(node->inputs, id) - node->inputs.begin() >= 3 &&
           std::ranges::count(node->inputs, id) > 0;
  });
}

/// Whether a value has no elements, which a model does not support.
bool isEmpty(const onnx::Graph &graph) {
  return std::ranges::any_of(graph.values, [](const onnx::Value &value) {
    return !value.literal && onnx::elementsOf(value.shape) == 0;
  });
}

} // namespace

Result<std::unique_ptr<NodeProgram>> NodeProgram::make(const std::string &folder, Known known) {
  Result<NodeData> data = readNodeData(folder);
  if (!data)
    return data.status();
  std::unique_ptr<NodeProgram> program(new NodeProgram());
  onnx::Graph &graph = data->graph;
  WINDLASS_TRY(onnx::checkOperators(graph));
  WINDLASS_TRY(program->takeInputs(*data, known));
  WINDLASS_TRY(onnx::foldConstants(graph));
  if (isEmpty(graph))
    return Status::badInput("tensors without elements");
  WINDLASS_TRY(onnx::simplify(graph, false));
  if (std::ranges::any_of(graph.nodes,
                          [&](const auto &node) { return onnx::droppedShare(graph, *node) > 0; }))
    return Status::badInput("dropout is switched on: the expected masks are those of another generator");
  WINDLASS_TRY(program->addLoss(graph));
  if (graph.outputs.empty())
    return program;
  std::map<std::string, int64_t> found;
  WINDLASS_TRY(onnx::recognize(graph, found));
  WINDLASS_TRY(onnx::simplify(graph, true));
  WINDLASS_TRY(program->build(graph));
  return program;
}

/// Values of the graph's inputs come before its nodes. Inputs of other types are cast from floats.
Status NodeProgram::takeInputs(NodeData &data, Known known) {
  onnx::Graph &graph = data.graph;
  onnx::NodeMaker::Nodes casts;
  onnx::NodeMaker maker(graph, casts);
  if (data.inputs.size() > graph.inputs.size())
    return Status::badInput("sequences, maps and optionals");
  for (size_t i = 0; i < data.inputs.size(); ++i) {
    const ValueId id = graph.inputs[i].value;
    Result<Literal> literal = onnx::literalOf(data.inputs[i]);
    if (!literal)
      return literal.status();
    graph.at(id).type = data.inputs[i].type;
    graph.at(id).shape = data.inputs[i].shape;
    if (known == Known::All || (known == Known::Integers && !literal->isFloat()) || isStatistic(graph, id)) {
      graph.at(id).literal = std::make_shared<Literal>(literal.take());
      continue;
    }
    const std::string name = "in" + std::to_string(i);
    const ValueId weight = addWeight(graph, name, literal->shape);
    weights.push_back(weight);
    parameters[name] = tensorOf(*literal);
    if (literal->isFloat())
      differentiable.push_back(name);
    const ValueId cast = literal->isFloat()
                             ? weight
                             : maker.make("Cast", {weight}, {{"to", static_cast<int64_t>(literal->type)}});
    for (auto &node : graph.nodes)
      std::ranges::replace(node->inputs, id, cast);
    std::ranges::replace(graph.outputs, id, cast);
  }
  graph.inputs.clear();
  graph.nodes.insert(graph.nodes.begin(), std::make_move_iterator(casts.begin()),
                     std::make_move_iterator(casts.end()));
  return maker.status();
}

/// The results become one loss. There is none if all results are known.
Status NodeProgram::addLoss(onnx::Graph &graph) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> draw(0.5, 1.5);
  onnx::NodeMaker maker(graph, graph.nodes);
  ValueId loss = onnx::kAbsent;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    const onnx::Value value = graph.at(graph.outputs[i]);
    Output &output = outputs.emplace_back();
    output.shape = value.shape;
    if (value.literal) {
      output.known = tensorOf(*value.literal);
      continue;
    }
    output.weight = "weight" + std::to_string(i);
    const onnx::Shape flat = {onnx::elementsOf(value.shape)};
    interpreter::Tensor &weight = parameters[output.weight] = interpreter::Tensor(llvm::ArrayRef(flat));
    for (double &number : weight.data)
      number = draw(random);
    weights.push_back(addWeight(graph, output.weight, flat));
    ValueId result = maker.reshape(graph.outputs[i], flat);
    if (!onnx::isFloat(value.type))
      result = maker.make("Cast", {result}, {{"to", int64_t{1}}});
    const ValueId term =
        maker.make("ReduceSum", {maker.make("Mul", {result, weights.back()})}, {{"keepdims", int64_t{0}}});
    loss = loss == onnx::kAbsent ? term : maker.make("Add", {loss, term});
  }
  graph.outputs.clear();
  if (loss != onnx::kAbsent)
    graph.outputs = {loss};
  return maker.status();
}

Status NodeProgram::build(onnx::Graph &graph) {
  onnx::ParameterTable table;
  for (ValueId id : weights) {
    onnx::Parameter row;
    row.value = id;
    row.name = row.initializer = graph.at(id).name;
    table.rows.push_back(std::move(row));
  }
  Result<nlohmann::json> document = onnx::writeDocument(graph, table);
  if (!document)
    return document.status();
  // Warnings about values that do not reach the loss are for users only.
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
  auto built = buildGraph(context, *document, "node.json", "", trainingOf(1));
  if (!built)
    return built.status();
  module = built.take();
  mlir::PassManager manager(&context);
  manager.addPass(graph::createDifferentiate({1}));
  return succeeded(manager.run(*module)) ? Status::ok() : Status::internal("has no gradient");
}

Result<NodeProgram::Tensors> NodeProgram::run(const char *step, const Tensors &states) {
  interpreter::Interpreter machine(*module);
  for (const auto &[name, tensor] : states)
    machine.states()[name] = tensor;
  auto reports = machine.runStep(step, [](const auto &request) -> Result<interpreter::Tensor> {
    return interpreter::Tensor(request.type.getShape(), 1.0);
  });
  if (!reports)
    return reports.status();
  Tensors found;
  for (const interpreter::Report &report : *reports)
    found[report.item] = report.value;
  return found;
}

Result<std::vector<interpreter::Tensor>> NodeProgram::results() {
  Tensors reports;
  if (module) {
    Result<Tensors> found = run("train", parameters);
    if (!found)
      return found.status();
    reports = found.take();
  }
  std::vector<interpreter::Tensor> results;
  for (const Output &output : outputs) {
    results.push_back(output.weight.empty() ? output.known : reports["gradient/" + output.weight]);
    results.back().shape = output.shape;
  }
  return results;
}

double NodeProgram::loss(const Tensors &at) {
  Result<Tensors> reports = run("evaluate", at);
  EXPECT_TRUE(reports) << reports.status().message();
  return reports ? reports->at("loss").data.at(0) : 0;
}

NodeProgram::Tensors NodeProgram::gradients(const Tensors &at) {
  Tensors gradients;
  Result<Tensors> reports = run("train", at);
  EXPECT_TRUE(reports) << reports.status().message();
  for (const std::string &name : differentiable) {
    gradients[name] = interpreter::Tensor(llvm::ArrayRef(at.at(name).shape));
    if (reports && reports->contains("gradient/" + name))
      gradients[name] = reports->at("gradient/" + name);
  }
  return gradients;
}

} // namespace windlass::test
