// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/operators/Dropout.h"

#include "compiler/import/onnx/file/Reader.h"
#include <optional>

namespace windlass::onnx {
namespace {

constexpr double kUsualRatio = 0.5;
constexpr size_t kRatio = 1, kTrains = 2; ///< inputs

std::optional<double> known(const Graph &graph, const Node &node, size_t input, double otherwise) {
  if (!node.has(input))
    return otherwise;
  const Literal *literal = graph.at(node.inputs[input]).literal.get();
  return literal && literal->size() == 1 ? std::optional(literal->real(0)) : std::nullopt;
}

} // namespace

double droppedShare(const Graph &graph, const Node &node) {
  if (!node.is("Dropout") || known(graph, node, kTrains, 0) == 0.0)
    return 0;
  return known(graph, node, kRatio, kUsualRatio).value_or(0);
}

Status checkDropout(const Graph &graph, const Node &node) {
  const std::optional<double> ratio = known(graph, node, kRatio, kUsualRatio),
                              trains = known(graph, node, kTrains, 0);
  if (trains == 0.0)
    return Status::ok();
  const auto fail = [&](const std::string &rule) { return Status::badInput(rule).in(describe(graph, node)); };
  if (!ratio || !trains)
    return fail("its ratio and training_mode must be constants");
  if (!(*ratio >= 0 && *ratio < 1))
    return fail("its ratio must be at least 0 and below 1, is " + std::to_string(*ratio));
  return Status::ok();
}

} // namespace windlass::onnx
