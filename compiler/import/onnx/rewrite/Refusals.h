// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Refusals.h - collects the nodes that are refused ======================//
//
// Duty: collects refused nodes with the rules that they break, and makes one error of all: by operator and
// rule, with counts, the first nodes and their modules. Threads: one file, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <map>
#include <string>

namespace windlass::onnx {

class Refusals {
public:
  explicit Refusals(const Graph &graph) : graph(graph) {}

  /// Adds a node. `rule`: the rule that it breaks; empty: the operator is not supported.
  void add(const Node &node, const std::string &rule = {});
  bool areNone() const { return groups.empty(); }
  /// Ok without nodes; for a single node that breaks a rule, a short error.
  Status status() const;

private:
  struct Group {
    int64_t count = 0;
    std::string where; ///< the first few nodes
  };
  const Graph &graph;
  std::map<std::pair<std::string, std::string>, Group> groups; ///< by operator and rule
};

/// The rule for operators that must be evaluated before the run.
inline constexpr const char *kOnlyKnown = "must be known before the run, and depends on data";

} // namespace windlass::onnx
