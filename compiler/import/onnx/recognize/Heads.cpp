// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/recognize/Heads.h"

namespace windlass::onnx {

ValueId packHeads(NodeMaker &maker, ValueId id) {
  const Shape shape = maker.graph.at(id).shape;
  return maker.reshape(maker.transpose(id, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

ValueId unpackHeads(NodeMaker &maker, ValueId id, int64_t heads) {
  const Shape shape = maker.graph.at(id).shape;
  return maker.transpose(maker.reshape(id, {shape[0], shape[1], heads, shape[2] / heads}), {0, 2, 1, 3});
}

} // namespace windlass::onnx
