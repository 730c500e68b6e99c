#include "compiler/import/onnx/SplitWeights.h"

#include "compiler/import/onnx/Names.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

/// A parameter of its own with the same initial values.
ValueId copyOf(Graph &graph, ValueId source, const std::string &name) {
  Value copy = graph.at(source);
  copy.name = name;
  copy.producer = nullptr;
  return graph.add(std::move(copy));
}

/// What TorchScript's exporter leaves of merged parameters: Identity(ln_1.weight) -> ln_2.weight.
void splitIdentities(Graph &graph) {
  for (auto &node : graph.nodes) {
    if (!node->is("Identity") || node->inputs.size() != 1 || node->inputs[0] == kAbsent ||
        node->outputs.size() != 1)
      continue;
    const ValueId source = node->inputs[0], result = node->outputs[0];
    const std::string name = graph.at(result).name;
    if (!graph.at(source).weight || result == kAbsent)
      continue;
    graph.at(result).name += "'";
    graph.replaceUses(result, isGenerated(name) ? source : copyOf(graph, source, name));
  }
}

/// The newer exporter leaves no trace but the modules that read the tensor.
void splitByScope(Graph &graph) {
  struct Use {
    Node *node;
    size_t input;
  };
  std::map<ValueId, std::vector<Use>> uses;
  for (auto &node : graph.nodes)
    for (size_t i = 0; i < node->inputs.size(); ++i)
      if (const ValueId id = node->inputs[i];
          id != kAbsent && graph.at(id).weight && graph.at(id).shape.size() == 1)
        uses[id].push_back({node.get(), i});
  for (const auto &[id, readers] : uses) {
    const std::string name = graph.at(id).name, leaf = leafOfName(name);
    auto home =
        std::ranges::find_if(readers, [&](const Use &use) { return use.node->scope == scopeOfName(name); });
    if (isGenerated(name) || home == readers.end())
      continue;
    std::map<std::string, ValueId> copies;
    for (const Use &use : readers) {
      const std::string &scope = use.node->scope;
      const bool sameKind = use.node->op == home->node->op && use.input == home->input;
      if (scope.empty() || scope == home->node->scope || !sameKind ||
          graph.find(scope + "." + leaf) != kAbsent)
        if (!copies.contains(scope))
          continue;
      auto [copy, isNew] = copies.try_emplace(scope, kAbsent);
      if (isNew)
        copy->second = copyOf(graph, id, scope + "." + leaf);
      use.node->inputs[use.input] = copy->second;
    }
  }
}

} // namespace

Status splitWeights(Graph &graph) {
  splitIdentities(graph);
  splitByScope(graph);
  graph.removeDead();
  return Status::ok();
}

} // namespace windlass::onnx
