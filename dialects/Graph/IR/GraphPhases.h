// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphPhases.h - which pass of a step an op belongs to =================//
//
// Duty: reads and sets the phase of an op: backward or recompute. An op of phase recompute repeats what the
// forward pass has computed, and is none of the model's own work. Threads, ownership: as MLIR's. Errors:
// none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialects/Graph/IR/GraphDialect.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace windlass::graph {

using plan::Phase;

/// On an op or call inside `micro_batches` or a layer function, a PhaseAttr: backward or recompute;
/// an op without it belongs to the forward pass (inside) or to the update (outside).
inline constexpr llvm::StringLiteral kPhase = "windlass.phase";

/// The phase of an op; nothing for ops of the forward pass and of the update.
inline std::optional<Phase> phaseOf(mlir::Operation *op) {
  auto phase = op->getAttrOfType<PhaseAttr>(kPhase);
  return phase ? std::optional(phase.getValue()) : std::nullopt;
}
inline void setPhase(mlir::Operation *op, std::optional<Phase> phase) {
  if (phase)
    op->setAttr(kPhase, PhaseAttr::get(op->getContext(), *phase));
}

} // namespace windlass::graph
