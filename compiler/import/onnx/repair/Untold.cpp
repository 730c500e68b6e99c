// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/Untold.h"

#include "compiler/import/onnx/file/Scope.h"
#include "compiler/import/onnx/graph/Uses.h"
#include "compiler/import/onnx/repair/Formula.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

/// The nodes that read a tensor, directly or through Transpose and Identity.
std::vector<Use> readersOf(const Uses &uses, ValueId id) {
  std::vector<Use> readers;
  const auto found = uses.find(id);
  for (const Use &use : found == uses.end() ? std::vector<Use>() : found->second)
    if (use.node->is("Transpose") || use.node->is("Identity"))
      std::ranges::copy(readersOf(uses, use.node->outputs[0]), std::back_inserter(readers));
    else
      readers.push_back(use);
  return readers;
}

/// Whether a tool may have merged several tensors into the one that `readers` read: two nodes read it in the
/// same place (or anywhere, if `isFresh`: all elements are equal), and the file does not show that both are
/// of one module. In a file that no tool has simplified, modules of two names share the tensor, since
/// PyTorch's exporters note what they merge.
bool mayBeMerged(const Graph &graph, const std::vector<Use> &readers, bool isFresh) {
  const bool isScripts =
      std::ranges::any_of(graph.nodes, [](const auto &node) { return node->name.starts_with('/'); });
  auto mayBeTwo = [&](const Use &use, const Use &other) {
    const std::string &scope = use.node->scope, &of = other.node->scope;
    const bool isPlace = isFresh || (use.node->op == other.node->op && use.input == other.input);
    const bool isOneModule =
        !scope.empty() && (scope == of || isLaterCall(scope, of) || isLaterCall(of, scope));
    return use.node != other.node && isPlace && !isOneModule &&
           (graph.isSimplified || (scope.empty() && !isScripts));
  };
  return std::ranges::any_of(readers, [&](const Use &use) {
    return std::ranges::any_of(readers, [&](const Use &other) { return mayBeTwo(use, other); });
  });
}

} // namespace

Status checkShared(const Graph &graph, const OnnxOptions &options, std::vector<Parameter> &rows) {
  if (!graph.moduleParameters.empty())
    return Status::ok();
  const Uses uses = usesOf(graph);
  std::string names;
  for (Parameter &row : rows) {
    const Value &value = graph.at(row.value);
    const std::vector<Use> readers = readersOf(uses, row.value);
    const bool isDeclaredShared = std::ranges::count(options.ties, std::pair(row.name, row.name)) > 0;
    if (!row.trainable || isDeclaredShared || elementsOf(value.shape) == 0 || readers.size() < 2)
      continue;
    Result<bool> isFresh = isUniform(value.weight->tensor);
    if (!isFresh)
      return isFresh.status();
    row.mayBeSeveral = mayBeMerged(graph, readers, *isFresh);
    names += row.mayBeSeveral && *isFresh ? "\n  " + row.name : "";
  }
  return names.empty()
             ? Status::ok()
             : Status::badInput(
                   "parameters of one number throughout that several layers read: a tool may have merged "
                   "fresh ones, and the file does not say whose they are; take the file that the exporter "
                   "wrote, or say with --tie NAME=NAME that the module shares one:" +
                   names);
}

Status checkFixed(const Graph &graph, std::vector<Parameter> &rows) {
  std::string names;
  for (Parameter &row : rows) {
    if (!row.isComputed || row.trainable)
      continue;
    const Value &value = graph.at(row.value);
    Result<Literal> literal = literalOf(value.weight->tensor);
    if (!literal)
      return literal.status();
    const Origin origin = originOf(*literal);
    row.isComputed = origin != Origin::Formula;
    names += origin == Origin::Learned ? "\n  " + row.name + ", " + describe(value.shape) : "";
  }
  return names.empty()
             ? Status::ok()
             : Status::badInput(
                   "tensors that layers read, and of which the file does not say whether they are learned, "
                   "as "
                   "rows of positions are; export with do_constant_folding=False, the newer exporter with "
                   "optimize=False, and take that file as it is; or say with --trainable REGEX which are "
                   "parameters, and with --freeze REGEX which are none:" +
                   names);
}

} // namespace windlass::onnx
