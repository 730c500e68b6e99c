#include "compiler/import/onnx/SplitWeights.h"

#include "compiler/import/onnx/Names.h"
#include "compiler/import/onnx/Scope.h"
#include "compiler/import/onnx/Uses.h"
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

/// What modules call a vector that an operator reads in this place; empty if that cannot be told.
std::string leafAt(const Use &use) {
  static const std::map<std::pair<std::string_view, size_t>, const char *> leaves = {
      {{"Add", 0}, "bias"},
      {{"Add", 1}, "bias"},
      {{"Mul", 0}, "weight"},
      {{"Mul", 1}, "weight"},
      {{"Gemm", 2}, "bias"},
      {{"Conv", 2}, "bias"},
      {{"ConvTranspose", 2}, "bias"},
      {{"LayerNormalization", 1}, "weight"},
      {{"LayerNormalization", 2}, "bias"},
      {{"RMSNormalization", 1}, "weight"},
      {{"BatchNormalization", 1}, "weight"},
      {{"BatchNormalization", 2}, "bias"},
      {{"BatchNormalization", 3}, "running_mean"},
      {{"BatchNormalization", 4}, "running_var"},
      {{"GroupNormalization", 1}, "weight"},
      {{"GroupNormalization", 2}, "bias"},
      {{"InstanceNormalization", 1}, "weight"},
      {{"InstanceNormalization", 2}, "bias"}};
  auto found = leaves.find({use.node->op, use.input});
  return found == leaves.end() ? "" : found->second;
}

/// Whether a vector is as modules make it: all zeros, all ones.
Result<bool> isUniform(const Tensor &tensor) {
  Result<Literal> literal = literalOf(tensor);
  return literal ? Result<bool>(literal->isUniform()) : Result<bool>(literal.status());
}

/// Lets every module but the one of its name read a copy of a vector under a name of its own.
Status splitVector(Graph &graph, ValueId id, const std::vector<Use> &readers) {
  const std::string name = graph.at(id).name, leaf = leafOfName(name);
  auto home =
      std::ranges::find_if(readers, [&](const Use &use) { return use.node->scope == scopeOfName(name); });
  if (isGenerated(name) || home == readers.end())
    return Status::ok();
  Result<bool> isFresh = isUniform(graph.at(id).weight->tensor);
  if (!isFresh)
    return isFresh.status();
  const Node *homeNode = home->node;
  const size_t homeInput = home->input;
  std::map<std::string, ValueId> copies;
  for (const Use &use : readers) {
    const bool isSameKind = use.node->op == homeNode->op && use.input == homeInput;
    const std::string own = isSameKind ? leaf : *isFresh ? leafAt(use) : "";
    const std::string target = use.node->scope + "." + own;
    // A module that reads one tensor twice shares it, but no operator has one parameter for two.
    const bool isHome = use.node->scope == homeNode->scope && (use.node != homeNode || target == name);
    const bool isAgain = graph.numbersCalls && isLaterCall(use.node->scope, homeNode->scope);
    if (use.node->scope.empty() || isHome || isAgain || own.empty())
      continue;
    if (!copies.contains(target)) {
      if (graph.find(target) != kAbsent)
        continue;
      copies[target] = copyOf(graph, id, target);
    }
    use.node->inputs[use.input] = copies[target];
  }
  return Status::ok();
}

/// The newer exporter leaves no trace but the modules that read the tensor.
Status splitByScope(Graph &graph) {
  for (const auto &[id, readers] : usesOf(graph))
    if (graph.at(id).weight && graph.at(id).shape.size() == 1)
      WINDLASS_TRY(splitVector(graph, id, readers));
  return Status::ok();
}

} // namespace

Status splitWeights(Graph &graph) {
  splitIdentities(graph);
  WINDLASS_TRY(splitByScope(graph));
  graph.removeDead();
  return Status::ok();
}

} // namespace windlass::onnx
