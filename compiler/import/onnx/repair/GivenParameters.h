// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GivenParameters.h - the parameters that calls were given ==============//
//
// Duty: finds the parameter that a call was given, if the file has a tensor with the name of another. The
// newer exporter's optimiser stores equal parameters once, under the name of one of them. Its signature still
// lists all, and its note of each call names the parameter. Ownership: refers to the graph. Threads: pure
// functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Uses.h"
#include <set>

namespace windlass::onnx {

/// The names of the values among a call's arguments, without the "%" of "%p_fc_bias"; those in lists
/// included.
std::vector<std::string> operandsOf(const TorchCall &call);

/// The parameter that the call of a layer has as its bias; empty: none, or no call is noted.
std::string biasGiven(const Graph &graph, const Node &node);

/// The parameters of the signature of which the file has no tensor: neither of that name, nor computed from
/// it.
std::set<std::string> lostParameters(const Graph &graph);

class GivenParameters {
public:
  explicit GivenParameters(const Graph &graph) : graph(graph), lost(lostParameters(graph)) {}

  /// The parameter that the call of a node was given where the node reads the tensor of parameter `name`:
  /// `name` itself, or a parameter that the file lacks. Empty: the call does not say.
  std::string at(const Use &use, const std::string &name) const;

private:
  const Graph &graph;
  const std::set<std::string> lost;
};

} // namespace windlass::onnx
