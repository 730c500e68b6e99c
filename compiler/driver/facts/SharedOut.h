// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedOut.h - how tensor ranks share out a model, for people ========//
//
// Duty: the layout of a model over ranks that share out its operations, and a word about what of it they do
// not share out. Threads: pure functions.
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

/// What so many ranks do alike, and how many would share out attention. Empty where it is little: under a
/// twentieth of the operations and of the parameters.
std::string describeAlike(const graph::DoneAlike &alike, int64_t ranks);
/// Why sequence parallelism divides nothing of a model, where it does not.
std::string whyWholeRows(int64_t ranks);

} // namespace windlass
