// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/Account.h"

#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/repair/CheckFolding.h"
#include "compiler/import/onnx/repair/GivenParameters.h"
#include "compiler/import/onnx/repair/NormCalls.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

using Names = std::set<std::string>;

/// The arguments of calls that the file has under no name: an optimiser computed them, or merged them with
/// equal values.
class Vanished {
public:
  explicit Vanished(const Graph &graph) : graph(graph) {
    for (const Value &value : graph.values)
      known.insert(value.name);
    for (const auto &node : graph.nodes)
      known.insert(node->call.result);
    for (const auto *traced : {&graph.tracedParameters, &graph.tracedBuffers})
      for (const auto &[name, target] : *traced)
        known.insert(name);
  }

  /// Whether one of these values may have been computed from a parameter that no call names.
  bool mayHideParameters() const {
    return std::ranges::any_of(graph.nodes, [&](const auto &node) {
      const std::vector<std::string> operands = tensorsOf(node->call);
      return std::ranges::any_of(operands, [&](const std::string &name) {
        return !known.contains(name) && mayBeOfParameter(*node, name);
      });
    });
  }

private:
  /// The tensors among the operands of a call, without operands that are sizes.
  static std::vector<std::string> tensorsOf(const TorchCall &call) {
    constexpr std::string_view lists[] = {"aten.cat", "aten.stack", "aten.index", "aten.einsum"};
    if (std::ranges::any_of(lists, [&](std::string_view name) { return call.isOf(name); }))
      return operandsOf(call);
    TorchCall plain;
    const size_t most = call.isOf("aten.slice") || call.isOf("aten.expand") || call.isOf("aten.view") ||
                                call.isOf("aten.arange") || call.isOf("aten.full")
                            ? 1
                            : call.arguments.size();
    for (const std::string &argument : call.arguments)
      if (argument.starts_with('%') && plain.arguments.size() < most)
        plain.arguments.push_back(argument);
    return operandsOf(plain);
  }

  /// Whether a missing value may be of a parameter. A missing computation may: it may have multiplied by ones
  /// or added zeros, which fresh parameters are. A missing view may only if the node reads another view of
  /// the same operation in its place, since the two were then equal.
  bool mayBeOfParameter(const Node &node, const std::string &name) const {
    const std::string_view operation = operationOf(name);
    if (isMade(operation))
      return false;
    if (!isMove(operation))
      return true;
    return std::ranges::any_of(node.inputs, [&](ValueId id) {
      return id != kAbsent && operationOf(graph.at(id).name) == operation;
    });
  }

  const Graph &graph;
  Names known;
};

/// Whether a parameter is tied: nodes of its module read another parameter in its place.
bool isTied(const Graph &graph, const ParameterTable &parameters, const std::string &name) {
  const std::string scope = scopeOfName(name), leaf = leafOfName(name);
  return !scope.empty() && std::ranges::any_of(graph.nodes, [&](const auto &node) {
    return node->scope == scope && std::ranges::any_of(node->inputs, [&](ValueId id) {
             const Parameter *row = id == kAbsent ? nullptr : parameters.find(id);
             if (const Node *turn = graph.producer(id, "Transpose"))
               row = parameters.find(turn->inputs[0]);
             return row && row->trainable && row->name != name && leafOfName(row->name) == leaf;
           });
  });
}

/// Whether a parameter is scale or shift of a batch norm that was folded.
bool isFolded(const Graph &graph, const BatchNorms &norms, const std::string &name) {
  return !norms.folded.empty() && std::ranges::any_of(graph.tracedBuffers, [&](const auto &buffer) {
    return buffer.second == scopeOfName(name) + ".running_mean";
  });
}

class Accountant {
public:
  Accountant(const Graph &graph, const ParameterTable &parameters, const BatchNorms &norms)
      : graph(graph), parameters(parameters), norms(norms) {}

  Result<Account> run() {
    Names merged, given;
    for (const auto &node : graph.nodes) {
      account.hasCalls |= !node->call.operation.empty();
      for (const std::string &operand : operandsOf(node->call))
        given.insert(graph.parameterOf("%" + operand));
    }
    for (const Parameter &row : parameters.rows)
      add(row, merged);
    account.merged = std::ssize(merged);
    if (graph.moduleParameters.empty())
      return account;
    account.module = std::ssize(graph.moduleParameters);
    account.tied = 0;
    for (const std::string &name : graph.moduleParameters)
      settle(name, given);
    if (!missing.empty() && Vanished(graph).mayHideParameters())
      lost.insert(lost.end(), missing.begin(), missing.end());
    else
      account.unread += std::ssize(missing);
    return lost.empty() ? Result<Account>(account) : Result<Account>(refusal());
  }

private:
  void add(const Parameter &row, Names &merged) {
    const Value &value = graph.at(row.value);
    const Weight &weight = *value.weight;
    account.tied += row.tied;
    account.frozen += row.frozen;
    account.constant +=
        !row.trainable && !row.tied && !row.isStatistic && isFloat(value.type) && elementsOf(value.shape) > 1;
    if (!row.trainable)
      return;
    held.insert(row.name);
    if (row.mayBeSeveral)
      account.shared.push_back(row.name);
    if (!weight.splitFrom.empty())
      merged.insert(weight.splitFrom);
    ++(weight.isLost ? account.lost : weight.splitFrom.empty() ? account.file : account.split);
  }

  void settle(const std::string &name, const Names &given) {
    if (held.contains(name))
      return;
    const bool isJoined = std::ranges::any_of(
        parameters.rows, [&](const Parameter &row) { return row.tied && row.name == name; });
    if (isFolded(graph, norms, name))
      ++account.folded;
    else if (isJoined || isTied(graph, parameters, name))
      ++account.tied;
    else
      (given.contains(name) ? lost : missing).push_back(name);
  }

  Status refusal() const {
    constexpr size_t kMost = 12;
    std::string names;
    for (size_t i = 0; i < std::min(lost.size(), kMost); ++i)
      names += "\n  " + lost[i];
    if (lost.size() > kMost)
      names += "\n  and " + std::to_string(lost.size() - kMost) + " more";
    return Status::badInput("the module has " + std::to_string(*account.module) +
                            " parameters, and the exporter's optimiser merged or computed away " +
                            std::to_string(lost.size()) +
                            " that cannot be found again; export with optimize=False:" + names);
  }

  const Graph &graph;
  const ParameterTable &parameters;
  const BatchNorms &norms;
  Account account;
  Names held;
  std::vector<std::string> lost, missing; ///< `missing`: in no call's arguments
};

std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > kMost ? " and " + std::to_string(names.size() - kMost) + " more" : "");
}

} // namespace

std::string Account::describe() const {
  auto said = [](int64_t count, const std::string &what) {
    return ", " + std::to_string(count) + " " + what;
  };
  std::string text = module ? "the module has " + std::to_string(*module) + " parameters, the file "
                            : "how many parameters the module has is unknown, the file has ";
  text += std::to_string(file) + ": " + std::to_string(tied) + " tied" + said(merged, "merged") +
          said(split, "split") + said(lost, "lost and put back") + said(frozen, "frozen") +
          said(constant, "constant");
  text += folded > 0 ? said(folded, "folded into layers") : "";
  text += unread > 0 ? said(unread, "unread") : "";
  const bool isDoubtful = module && !hasCalls && tied + unread > 0;
  text += isDoubtful ? " (the file lacks its calls: of tied and unread ones some may be merged)" : "";
  return text + (shared.empty() ? "" : "; read by several layers, and perhaps merged of as many: ") +
         listed(shared);
}

std::string describeLabels(const Graph &graph) {
  std::string text;
  for (const auto &[id, counting] : graph.labels)
    text += (text.empty() ? "" : ", ") + ("\"" + graph.at(id).name + "\" ") +
            (counting.first > 0 ? "shifted by " + std::to_string(counting.first) : "as they stand");
  return text.empty() ? "no labels" : "labels " + text;
}

Result<Account> balance(const Graph &graph, const ParameterTable &parameters, const BatchNorms &norms) {
  return Accountant(graph, parameters, norms).run();
}

} // namespace windlass::onnx
