// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NodeTraffic.h - what collectives bring into a node ==================//
//
// Duty: whether sharing out the states over the ranks of a node, with a copy in every node, would bring
// fewer bytes into it than sharing them out over more.
// Units: ranks. Errors: none. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "runtime/plan/Plan.h"
#include <optional>

namespace windlass::model {

/// The `parallel.shard` that spares the links between nodes; nothing where it would not.
std::optional<int64_t> shardThatSparesNodes(const plan::Plan &plan, const Machine &machine);

} // namespace windlass::model
