// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/SplitWeights.h"

#include "compiler/import/onnx/file/Scope.h"
#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/graph/Uses.h"
#include "compiler/import/onnx/repair/GivenParameters.h"
#include "compiler/import/onnx/repair/NormCalls.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

/// A parameter of its own with the same initial values.
ValueId copyOf(Graph &graph, ValueId source, const std::string &name) {
  Value copy = graph.at(source);
  Weight weight = *copy.weight;
  weight.splitFrom = copy.name;
  copy.weight = std::make_shared<Weight>(std::move(weight));
  copy.name = name;
  copy.producer = nullptr;
  return graph.add(std::move(copy));
}

std::string unusedName(const Graph &graph, std::string name) {
  const char *more = isGenerated(name) ? "_1" : "'"; // a made-up name stays one
  while (graph.find(name) != kAbsent)
    name += more;
  return name;
}

/// Whether a copy that TorchScript's exporter made of a tensor is another parameter. For matrices with
/// made-up names, the modules that read them decide later (TieWeights.h).
bool isOfAnother(const Graph &graph, const std::string &name, const Value &source) {
  if (!graph.moduleParameters.empty())
    return std::ranges::count(graph.moduleParameters, name) > 0;
  return !isGenerated(name) || (isFloat(source.type) && source.shape.size() == 2 && isGenerated(source.name));
}

/// Splits parameters that TorchScript's exporter merged, as Identity(ln_1.weight) -> ln_2.weight.
void splitIdentities(Graph &graph) {
  for (auto &node : graph.nodes) {
    if (!node->is("Identity"))
      continue;
    const ValueId source = node->inputs[0], result = node->outputs[0];
    const std::string name = graph.at(result).name;
    if (!graph.at(source).weight)
      continue;
    graph.at(result).name += "'";
    const bool isOther = isOfAnother(graph, name, graph.at(source));
    graph.replaceUses(result, isOther ? copyOf(graph, source, name) : source);
  }
}

/// Gives norms without parameters constants of their own, if they read a parameter with the same elements.
void splitPlainNorms(Graph &graph) {
  for (const auto &[id, readers] : usesOf(graph)) {
    auto isPlain = [](const Use &use) { return operandOfNorm(*use.node, use.input) == "None"; };
    const auto plain = std::ranges::count_if(readers, isPlain);
    if (!graph.at(id).weight || plain == 0)
      continue;
    const bool isShared = plain < std::ssize(readers);
    const ValueId own = isShared ? copyOf(graph, id, unusedName(graph, graph.at(id).name)) : id;
    Weight weight = *graph.at(own).weight;
    weight.mark = Mark::OfPlainNorm;
    graph.at(own).weight = std::make_shared<Weight>(std::move(weight));
    for (const Use &use : readers)
      if (isPlain(use))
        use.node->inputs[use.input] = own;
  }
}

/// The name that modules give a vector that an operator reads at this input; empty if unknown.
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

/// The parameter that a module reads where the file has the tensor of another module (`home`), by the names
/// of both modules. Empty: the module reads the tensor itself.
std::string parameterByScope(const Graph &graph, const Use &use, const Use &home, const std::string &name,
                             bool isFresh) {
  const bool isSameKind = use.node->op == home.node->op && use.input == home.input;
  const std::string own = isSameKind ? leafOfName(name) : isFresh ? leafAt(use) : "";
  const std::string target = use.node->scope + "." + own;
  // Two nodes of a module that read one tensor share it, but one node does not have one parameter for two
  // inputs.
  const bool isHome = use.node->scope == home.node->scope && (use.node != home.node || target == name);
  const bool isAgain = graph.numbersCalls && isLaterCall(use.node->scope, home.node->scope);
  return use.node->scope.empty() || isHome || isAgain || own.empty() ? "" : target;
}

/// A new parameter with the same initial values, named `name`. For a tensor that an optimiser computed,
/// `name` becomes the parameter that the copy was computed from.
ValueId splitOff(Graph &graph, ValueId id, const std::string &name) {
  if (graph.at(id).weight->foldedFrom.empty() && !isGenerated(graph.at(id).name))
    return copyOf(graph, id, name);
  const ValueId copy = copyOf(graph, id, unusedName(graph, graph.at(id).name));
  Weight weight = *graph.at(copy).weight;
  weight.foldedFrom = name;
  graph.at(copy).weight = std::make_shared<Weight>(std::move(weight));
  return copy;
}

/// Whether a tensor is a vector, perhaps with dimensions of 1 that an optimiser added.
bool isVector(const Value &value) {
  const bool isMade = !value.weight->foldedFrom.empty() || isGenerated(value.name);
  return value.shape.size() == 1 ||
         (isMade && !value.shape.empty() && elementsOf(value.shape) == std::ranges::max(value.shape));
}

/// Gives each reader of a tensor its own parameter, if its call names another parameter than the tensor's;
/// vectors also if the reader is of another module and no call names the parameter.
Status splitByUse(Graph &graph, const GivenParameters &given, ValueId id, const std::vector<Use> &readers) {
  const std::string source = graph.at(id).weight->foldedFrom;
  const std::string name = source.empty() ? graph.at(id).name : source;
  auto home = std::ranges::find_if(readers, [&](const Use &use) {
    return !(source.empty() && isGenerated(name)) && use.node->scope == scopeOfName(name);
  });
  const bool mayBeFresh = home != readers.end() && isVector(graph.at(id));
  Result<bool> isFresh = mayBeFresh ? isUniform(graph.at(id).weight->tensor) : Result<bool>(false);
  if (!isFresh)
    return isFresh.status();
  auto mayBe = [&](const std::string &target) {
    return source.empty() || std::ranges::count(graph.moduleParameters, target) > 0;
  };
  std::map<std::string, ValueId> copies;
  for (const Use &use : readers) {
    std::string target = given.at(use, name);
    if (target.empty() && isVector(graph.at(id)) && home != readers.end() && !graph.isGiven(*use.node, name))
      target = parameterByScope(graph, use, *home, name, *isFresh);
    if (target.empty() || target == name || !mayBe(target))
      continue;
    if (!copies.contains(target)) {
      if (graph.find(target) != kAbsent)
        continue;
      copies[target] = splitOff(graph, id, target);
    }
    use.node->inputs[use.input] = copies[target];
  }
  return Status::ok();
}

/// Splits parameters that the newer exporter merged, by its notes of calls and by the modules that read the
/// tensor.
Status splitShared(Graph &graph) {
  const GivenParameters given(graph);
  for (const auto &[id, readers] : usesOf(graph))
    if (graph.at(id).weight && isFloat(graph.at(id).type))
      WINDLASS_TRY(splitByUse(graph, given, id, readers));
  return Status::ok();
}

} // namespace

Status splitWeights(Graph &graph) {
  splitIdentities(graph);
  splitPlainNorms(graph);
  WINDLASS_TRY(splitShared(graph));
  graph.removeDead();
  return Status::ok();
}

} // namespace windlass::onnx
