// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NodeShares.h - host and disk shared by the stages of a node ===========//
//
// Duty: the host memory and the disk of a node that holds ranks of several stages of a pipeline. Each rank
// has an even share of both. Stages for which the share is too little get the bytes that planned stages of
// the node leave of theirs. Units: bytes of one rank. Threads, ownership: refers to the machine.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "model/Machine.h"
#include "passes/Flow/layout/Workspace.h"
#include <map>

namespace windlass {

class NodeShares {
public:
  NodeShares(const TrainingOptions &training, const model::Machine &machine);

  /// Whether a node holds several stages, and no stage lies on several nodes.
  bool areShared() const { return stagesOfNode > 1; }
  /// The machine, with all of the node's host and disk for one stage.
  model::Machine forOneStage() const;
  /// Records the bytes of a planned stage.
  void take(size_t stage, const flow::TierBytes &bytes) { taken[stage] = bytes; }
  /// The machine for a stage that is not planned yet. Stages without take() share the bytes that are left
  /// evenly.
  model::Machine whatIsLeftTo(size_t stage) const;

private:
  model::Machine with(const flow::TierBytes &bytes) const;

  const model::Machine &machine;
  size_t stagesOfNode = 1, stages;
  std::map<size_t, flow::TierBytes> taken; ///< by stage
};

} // namespace windlass
