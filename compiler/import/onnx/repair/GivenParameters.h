// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GivenParameters.h - which parameter a call meant ====================//
//
// Duty: the newer exporter's optimiser stores equal parameters once, under the name of
// one of them. Its signature still lists all, and its note of each call says which
// one the call was given.
// Ownership: refers to the graph. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Uses.h"
#include <set>

namespace windlass::onnx {

/// The names of values, "%p_fc_bias" without the sign, that a call was given, those in lists included.
std::vector<std::string> operandsOf(const TorchCall &call);

/// The parameter that the call of a layer was given as its bias; empty: none, or the call does not say.
std::string biasGiven(const Graph &graph, const Node &node);

/// Parameters that the signature lists, and of which the file has no tensor of that name, nor one that was
/// computed from it.
std::set<std::string> lostParameters(const Graph &graph);

class GivenParameters {
public:
  explicit GivenParameters(const Graph &graph) : graph(graph), lost(lostParameters(graph)) {}

  /// A node reads the tensor of parameter `name`: the parameter that its call was given there. It is `name`,
  /// or a parameter that the file lacks. Empty: the call does not say.
  std::string at(const Use &use, const std::string &name) const;

private:
  const Graph &graph;
  const std::set<std::string> lost;
};

} // namespace windlass::onnx
