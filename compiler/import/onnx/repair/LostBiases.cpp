// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/LostBiases.h"

#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/repair/GivenParameters.h"
#include <algorithm>
#include <optional>

namespace windlass::onnx {
namespace {

constexpr size_t kWeight = 1, kBias = 2;

bool hasBias(const Graph &graph, const Node &node) {
  if (node.has(kBias))
    return true;
  return node.is("MatMul") && std::ranges::any_of(graph.nodes, [&](const auto &other) {
           return other->is("Add") && std::ranges::count(other->inputs, node.outputs[0]) > 0 &&
                  std::ranges::any_of(other->inputs, [&](ValueId id) {
                    return id != kAbsent && graph.at(id).weight && graph.at(id).shape.size() == 1;
                  });
         });
}

/// The elements of the missing bias of a layer; nothing if the node is no layer, or has a bias. `isGiven`:
/// the call of the node names the bias; otherwise the weight must be of the node's module.
std::optional<int64_t> biasSize(const Graph &graph, const Node &node, bool isGiven) {
  if (!node.has(kWeight))
    return std::nullopt;
  const Value &weight = graph.at(node.inputs[kWeight]);
  const bool isOwn = isGiven || weight.name == node.scope + ".weight" || isGenerated(weight.name);
  const bool isLinear = node.is("MatMul") || node.is("Gemm");
  if (!weight.weight || !isOwn || hasBias(graph, node) || weight.shape.size() < 2)
    return std::nullopt;
  if (node.is("Conv"))
    return weight.shape[0];
  if (node.is("ConvTranspose"))
    return weight.shape[1] * node.integer("group", 1);
  if (!isLinear || weight.shape.size() != 2)
    return std::nullopt;
  return weight.shape[node.integer("transB", 0) != 0 ? 0 : 1];
}

ValueId addZeros(Graph &graph, const std::string &name, DataType type, int64_t size) {
  Weight weight;
  weight.mark = Mark::Parameter;
  weight.isLost = true;
  weight.tensor.type = type;
  weight.tensor.shape = {size};
  weight.tensor.bytes.assign(static_cast<size_t>(weight.tensor.byteSize()), '\0');
  Value value;
  value.name = name;
  value.type = type;
  value.shape = {size};
  value.weight = std::make_shared<Weight>(std::move(weight));
  return graph.add(std::move(value));
}

/// The addition of a bias to the result of a product, which has no operand for it.
std::unique_ptr<Node> makeAdd(Graph &graph, Node &product, ValueId bias) {
  auto add = std::make_unique<Node>();
  add->op = "Add";
  add->scope = product.scope;
  const ValueId result = product.outputs[0];
  Value plain;
  plain.producer = &product;
  const ValueId before = graph.add(std::move(plain));
  product.outputs[0] = before;
  add->inputs = {before, bias};
  add->outputs = {result};
  graph.at(result).producer = add.get();
  return add;
}

} // namespace

void restoreBiases(Graph &graph) {
  std::map<std::string, ValueId> lost;
  for (const std::string &name : graph.moduleParameters)
    if (leafOfName(name).find("bias") != std::string::npos && graph.find(name) == kAbsent)
      lost[name] = kAbsent;
  for (size_t i = 0; i < graph.nodes.size() && !lost.empty(); ++i) {
    Node &node = *graph.nodes[i];
    const std::string given = biasGiven(graph, node);
    auto found = lost.find(given.empty() ? node.scope + ".bias" : given);
    const std::optional<int64_t> size =
        found == lost.end() ? std::nullopt : biasSize(graph, node, !given.empty());
    if (!size)
      continue;
    ValueId &bias = found->second; // all calls of a module share the bias
    if (bias == kAbsent)
      bias = addZeros(graph, found->first, graph.at(node.inputs[kWeight]).type, *size);
    if (node.is("MatMul")) {
      graph.nodes.insert(graph.nodes.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         makeAdd(graph, node, bias));
      continue;
    }
    node.inputs.resize(kBias + 1, kAbsent);
    node.inputs[kBias] = bias;
  }
}

} // namespace windlass::onnx
