// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Rewrite.h - nodes in place of others ================================//
//
// Duty: what steps that rewrite a graph share: making nodes, typed as they are
// made, and walking the graph so that each node may be replaced by new ones.
// Errors: a node that cannot be typed is our fault; rewrite() says which.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <functional>

namespace windlass::onnx {

class NodeMaker {
public:
  using Nodes = std::vector<std::unique_ptr<Node>>;
  using Attributes = std::map<std::string, Attribute>;

  /// New nodes go to the end of `into`, with the scope of `origin`.
  NodeMaker(Graph &graph, Nodes &into, std::string scope = {})
      : graph(graph), into(&into), scope(std::move(scope)) {}

  ValueId make(const std::string &op, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId makeOwn(const std::string &op, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId reshape(ValueId id, const Shape &shape);
  ValueId transpose(ValueId id, const std::vector<int64_t> &perm);
  ValueId literal(Literal literal);
  const Status &status() const { return failure; }

  Graph &graph;

private:
  ValueId add(std::unique_ptr<Node> node);

  Nodes *into;
  std::string scope;
  Status failure;
};

/// Calls `replace` for every node, in order. Where it returns a value, that takes the place (and the name) of
/// the node's first result; the nodes made for it stand where the node stood. Dead nodes are dropped at the
/// end.
using Replacement = std::function<ValueId(const Node &node, NodeMaker &maker)>;
Status rewrite(Graph &graph, const Replacement &replace);

} // namespace windlass::onnx
