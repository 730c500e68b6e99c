// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognises a GatherND whose known indices count along dimensions of the result, as exporters write x[batch,
// position] for masks. It becomes the data, reshaped to 1 in all other dimensions and expanded over them.
#include "compiler/import/onnx/recognize/Recognize.h"

namespace windlass::onnx {
namespace {

/// The dimension of the result along which component `c` of the indices counts 0, 1, 2, ...; -1 if none.
int64_t walkedDimension(const Literal &indices, int64_t component, int64_t extent) {
  const int64_t depth = indices.shape.back();
  Shape result(indices.shape.begin(), indices.shape.end() - 1);
  for (size_t d = 0; d < result.size(); ++d) {
    bool walks = result[d] == extent;
    int64_t at = component;
    forEachIndex(result, [&](const Shape &index) {
      walks &= indices.integers[static_cast<size_t>(at)] == index[d];
      at += depth;
    });
    if (walks)
      return static_cast<int64_t>(d);
  }
  return -1;
}

} // namespace

ValueId recognizeLookup(const Node &node, NodeMaker &maker) {
  const Graph &graph = maker.graph;
  if (!node.is("GatherND") || node.integer("batch_dims", 0) != 0 || node.inputs.size() != 2)
    return kAbsent;
  const Literal *indices = graph.at(node.inputs[1]).literal.get();
  const Shape data = graph.at(node.inputs[0]).shape;
  if (!indices || indices->isFloat() || indices->shape.empty() || indices->shape.back() != std::ssize(data))
    return kAbsent;
  const Shape result = graph.at(node.outputs[0]).shape;
  Shape spread(result.size(), 1);
  int64_t last = -1;
  for (size_t c = 0; c < data.size(); ++c) {
    const int64_t d = walkedDimension(*indices, static_cast<int64_t>(c), data[c]);
    if (d <= last)
      return kAbsent;
    spread[static_cast<size_t>(d)] = data[c];
    last = d;
  }
  return maker.make("Expand",
                    {maker.reshape(node.inputs[0], spread), maker.literal(Literal::ofIntegers(result))});
}

} // namespace windlass::onnx
