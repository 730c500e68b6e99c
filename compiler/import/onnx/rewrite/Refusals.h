// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Refusals.h - all that cannot be taken of a file, at once ============//
//
// Duty: collects nodes and why each is refused; says all of them together, by
// operator and rule, with counts and the first nodes of each with their modules.
// Threads: one file, one thread.
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

  /// `rule`: what the node breaks; empty: there is no such operator.
  void add(const Node &node, const std::string &rule = {});
  bool areNone() const { return groups.empty(); }
  /// Ok if there are none; of one node that breaks a rule just that.
  Status status() const;

private:
  struct Group {
    int64_t count = 0;
    std::string where; ///< the first few
  };
  const Graph &graph;
  std::map<std::pair<std::string, std::string>, Group> groups; ///< by operator and rule
};

/// What an operator that has no place in a training step says.
inline constexpr const char *kOnlyKnown = "must be known before the run, and depends on data";

} // namespace windlass::onnx
