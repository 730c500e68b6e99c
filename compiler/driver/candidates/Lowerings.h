// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Lowerings.h - flow modules that strategies share ======================//
//
// Duty: holds the flow modules of candidates, in which homes have no tier yet. Decisions about homes, credits
// and slack come after them, so that strategies that differ in these alone share the modules, and what was
// counted of them. Units: bytes of one rank. Errors: none. Threads, ownership: as MLIR's; modules and their
// counts live as long as some planner holds them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/Candidate.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "passes/Flow/layout/StageShape.h"
#include "planning/Step/StepCounts.h"
#include <map>
#include <memory>

namespace windlass {

/// The layers of the model that a module has.
enum class Layers : uint8_t { All, Few, OneMore };

/// What a stage takes with all homes on the device.
struct StageSizes {
  planning::StepCounts counts;
  flow::TierBytes workspace;
};

struct LoweredStage {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::map<int64_t, StageSizes> sizes = {}; ///< by the elements of a chunk; whatever its homes are
  flow::StageShape shape = {};              ///< of an inner stage of a pipeline, once it is asked for
};

/// A candidate, lowered with all layers.
struct Lowered {
  std::vector<LoweredStage> stages;
  std::vector<int64_t> layers; ///< of each
};

/// What was lowered under decisions that lead to the same modules.
struct Lowerings {
  std::map<LoweringKey, Lowered> all;
  /// With few layers, as one program for all stages; null: they cannot be lowered.
  std::map<std::pair<Layers, LoweringKey>, mlir::OwningOpRef<mlir::ModuleOp>> few;
};

class SharedLowerings {
public:
  /// Those of some decisions about one training file.
  std::shared_ptr<Lowerings> of(const Decisions &decisions);

private:
  std::vector<std::pair<Decisions, std::weak_ptr<Lowerings>>> all;
};

} // namespace windlass
