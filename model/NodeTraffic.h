// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NodeTraffic.h - bytes that collectives bring into a node ==============//
//
// Duty: decides whether states that are shared out over the ranks of a node, with a copy in every node, would
// bring fewer bytes into a node than states shared out over more ranks. Units: ranks. Errors: none. Threads:
// pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "runtime/plan/Plan.h"
#include <optional>

namespace windlass::model {

/// The `parallel.shard` with which fewer bytes pass between nodes; nothing if there is none.
std::optional<int64_t> shardThatSparesNodes(const plan::Plan &plan, const Machine &machine);

} // namespace windlass::model
