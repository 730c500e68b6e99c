// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphPitch.h - the distance of a tensor's rows in memory ==============//
//
// Duty: reads and sets `#graph.pitch`, the encoding of a tensor type that gives the distance of its rows in
// memory. A pitch changes no value: only code that counts bytes of buffers, or generates accesses to them,
// reads it. Units: elements.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace windlass::graph {

/// The distance from one row to the next; the extent of the last dimension, if the type has no pitch.
int64_t pitchOf(mlir::RankedTensorType type);
/// The elements that the tensor takes in memory, padding after its rows included.
int64_t storedElements(mlir::RankedTensorType type);
mlir::RankedTensorType withPitch(mlir::RankedTensorType type, int64_t elements);

} // namespace windlass::graph
