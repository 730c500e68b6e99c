// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NodeShares.h - what stages of one node leave of it to each other ====//
//
// Duty: the host and the disk of a node that several stages of a pipeline have their ranks on. Each rank has
// an even share of both; what the ranks of stages that are planned leave of theirs goes to those for which it
// is too little. Units: bytes of one rank. Threads, ownership: refers to the machine.
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

  /// Whether a stage has its ranks on a node with those of another one, and no stage lies on several.
  bool areShared() const { return stagesOfNode > 1; }
  /// The machine as if all of the node's host and disk were for one of its stages.
  model::Machine forOneStage() const;
  /// What a stage takes, once it is planned.
  void take(size_t stage, const flow::TierBytes &bytes) { taken[stage] = bytes; }
  /// The machine for a stage that is not planned yet, as are all that take() was not told of.
  model::Machine whatIsLeftTo(size_t stage) const;

private:
  model::Machine with(const flow::TierBytes &bytes) const;

  const model::Machine &machine;
  size_t stagesOfNode = 1, stages;
  std::map<size_t, flow::TierBytes> taken; ///< by stage
};

} // namespace windlass
