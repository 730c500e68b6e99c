// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ReadTensor.h - a tensor of an ONNX file ===============================//
//
// Duty: reads type, shape and bytes of a TensorProto, from whichever of its fields has the elements.
// Errors: BadInput with the tensor's name, the rule and the value found.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/file/TensorPlaces.h"
#include "compiler/import/onnx/graph/Model.h"

namespace windlass::onnx {

namespace wire {
class Tensor;
}

/// Moves the raw bytes out of `source`; large tensors stay in the file. `path`: of the model. `place`: the
/// place of the tensor's elements in the file, if known.
Result<Tensor> readTensor(wire::Tensor &source, const std::string &path, const TensorPlace *place = nullptr);

/// Ok if every extent is from 0 to 2^31 and all together are at most 2^42 elements.
Status checkShape(const Shape &shape);

} // namespace windlass::onnx
