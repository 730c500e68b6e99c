// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedOut.h - describes the tensor-parallel layout of a model =======//
//
// Duty: the layout of a model over tensor-parallel ranks, and a remark on operations and parameters that
// every rank has in full. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "passes/Graph/splits/SplitModel.h"
#include <string>

namespace windlass {

struct SharedOut {
  std::string layout; ///< empty: one rank
  graph::DoneAlike alike;
};

/// Describes the work that all `ranks` ranks do alike, and the numbers of ranks that would share out
/// attention. Empty if this work is less than a twentieth of the operations and of the parameters.
std::string describeAlike(const graph::DoneAlike &alike, int64_t ranks);

} // namespace windlass
