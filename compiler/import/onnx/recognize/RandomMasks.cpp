// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/recognize/RandomMasks.h"

#include "compiler/import/onnx/recognize/Terms.h"
#include "compiler/import/onnx/rewrite/Rewrite.h"

namespace windlass::onnx {
namespace {

/// Replaces a Cast to numbers of a comparison: uniform random numbers from [0, 1) less than a known number.
ValueId ofConversion(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  const bool isConversion = node.is("Cast") || node.is("CastLike");
  const std::vector<ValueId> less =
      isConversion ? operandsOf(graph, node.inputs[0], "Less") : std::vector<ValueId>();
  const Node *drawn = less.empty() ? nullptr : graph.producer(less[0], "RandomUniformLike");
  const std::optional<double> share = drawn ? numberOf(graph, less[1]) : std::nullopt;
  auto isBound = [&](const char *key, double usual) {
    const double *bound = drawn->attribute<double>(key);
    return !bound || *bound == usual;
  };
  if (!share || !isFloat(graph.at(node.outputs[0]).type) || !isBound("low", 0) || !isBound("high", 1) ||
      !(*share > 0 && *share <= 1))
    return kAbsent;
  auto number = [&](double value) { return maker.literal(Literal::filled(DataType::Float, {}, value)); };
  const ValueId ones = maker.literal(Literal::filled(DataType::Float, graph.at(drawn->outputs[0]).shape, 1)),
                trains = maker.literal(Literal::filled(DataType::Bool, {}, 1));
  return maker.make("Mul", {maker.make("Dropout", {ones, number(1 - *share), trains}), number(*share)});
}

} // namespace

Status recognizeRandomMasks(Graph &graph) { return rewrite(graph, ofConversion); }

} // namespace windlass::onnx
