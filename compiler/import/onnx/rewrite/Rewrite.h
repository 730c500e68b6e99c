// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Rewrite.h - replaces nodes by new ones ================================//
//
// Duty: rewrites graphs: makes nodes and infers their types, and walks a graph to replace nodes by new ones.
// Errors: a new node whose types cannot be inferred is a fault of the compiler; rewrite() names the node.
// Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Uses.h"
#include <functional>

namespace windlass::onnx {

class NodeMaker {
public:
  using Nodes = std::vector<std::unique_ptr<Node>>;
  using Attributes = std::map<std::string, Attribute>;

  /// Appends new nodes to `into`, with this scope. `uses`: of a graph that is rewritten, before.
  NodeMaker(Graph &graph, Nodes &into, std::string scope = {}, const Uses *uses = nullptr)
      : graph(graph), into(&into), scope(std::move(scope)), uses(uses) {}

  ValueId make(const std::string &op, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId makeOwn(const std::string &op, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId reshape(ValueId id, const Shape &shape);
  ValueId transpose(ValueId id, const std::vector<int64_t> &perm);
  ValueId literal(Literal literal);
  const Status &status() const { return failure; }
  /// Whether one node, and no more, read a value before the graph was rewritten.
  bool isReadOnce(ValueId id) const;

  Graph &graph;

private:
  ValueId add(std::unique_ptr<Node> node);

  Nodes *into;
  std::string scope;
  const Uses *uses;
  Status failure;
};

/// Called for every node, in order. If a value is returned, it replaces the first result of the node and
/// takes its name; nodes that were made for it are inserted at the place of the node. rewrite() drops dead
/// nodes at the end.
using Replacement = std::function<ValueId(const Node &node, NodeMaker &maker)>;
Status rewrite(Graph &graph, const Replacement &replace);

} // namespace windlass::onnx
