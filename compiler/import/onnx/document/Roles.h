// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Roles.h - what inputs are, and the numbers that they may have =========//
//
// Duty: gives each input the role of the document (features, targets, tokens, labels), and whole numbers the
// bound below which they must be, by the nodes that read them. The loss must be attached. Ownership: refers
// to the graph. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <nlohmann/json.hpp>
#include <set>

namespace windlass::onnx {

class Roles {
public:
  explicit Roles(const Graph &graph);

  /// The keys "role" and, of whole numbers, "bound" of an input, and those that say which labels count.
  nlohmann::json describe(const Input &input) const;

private:
  /// The input behind the indices `read`. Its values must be below the bounds of all its readers, `bound`
  /// among them.
  ValueId bounded(ValueId read, int64_t bound);
  /// Index tuples are usually concatenated from columns. Each column has a bound of its own: the dimension
  /// that it indexes.
  void boundTuples(const Node &node);

  const Graph &graph;
  std::map<ValueId, int64_t> bounds;
  std::set<ValueId> classes, tables, targets;
};

} // namespace windlass::onnx
