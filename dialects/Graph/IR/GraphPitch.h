// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphPitch.h - how far apart a tensor's rows lie ====================//
//
// Duty: what the `#graph.pitch` of a tensor's type says, which is of memory alone: no op computes anything
// else for it. Whoever counts bytes of buffers or makes code for them asks here. Units: elements.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace windlass::graph {

/// From one row to the next: the last dimension, where the type does not say more.
int64_t pitchOf(mlir::RankedTensorType type);
/// That the tensor takes in memory, those behind its rows counted.
int64_t storedElements(mlir::RankedTensorType type);
mlir::RankedTensorType withPitch(mlir::RankedTensorType type, int64_t elements);

} // namespace windlass::graph
