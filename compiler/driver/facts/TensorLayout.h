// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TensorLayout.h - describes the tensor-parallel layout of a model ======//
//
// Duty: the layout of a model over tensor-parallel ranks, and a remark on operations and parameters that
// every rank has in full. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitModel.h"
#include <string>

namespace windlass {

struct TensorLayout {
  std::string layout; ///< which operation is shared out along which loop, in words; empty: one rank
  graph::ReplicatedWork replicated;
};

/// Describes the work that all `ranks` ranks do alike, and the numbers of ranks that would share out
/// attention. Empty if this work is less than a twentieth of the operations and of the parameters.
std::string describeReplicatedWork(const graph::ReplicatedWork &replicated, int64_t ranks);

} // namespace windlass
