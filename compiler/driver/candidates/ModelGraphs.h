// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelGraphs.h - graph modules that candidates share ===================//
//
// Duty: caches graph-level modules of an imported model, which have neither data ranks nor homes, so that
// candidates of all strategies share them: one module for each recomputation, limits of tiles and choice of
// rows, with all or few layers; the sets of activations that layers may keep; and what the graphs are lowered
// to (Lowerings.h). Each is made at its first use. Errors: those of the passes. Threads, ownership: as
// MLIR's; refers to the imported module. The levels of all calls must be of one training file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/ActivationChoices.h"
#include "compiler/driver/candidates/Candidate.h"
#include "compiler/driver/candidates/Levels.h"
#include "compiler/driver/candidates/Lowerings.h"
#include "passes/Graph/FewLayers.h"
#include <array>
#include <map>
#include <optional>

namespace windlass {

class ModelGraphs {
public:
  explicit ModelGraphs(mlir::ModuleOp imported) : imported(imported) {}

  /// The module at the end of the graph level.
  Result<mlir::ModuleOp> lowered(const Candidate &candidate, Levels &levels, Layers layers = Layers::All);
  /// Whether the layers have all activations that a candidate keeps.
  bool hasKept(const Candidate &candidate, Levels &levels) const;
  /// The sets of activations that the layers, cut by `limits`, may keep.
  Result<ActivationChoices> activationChoices(const Limits &limits, Levels &levels);
  /// The layers of the model; 0 if unknown.
  int64_t layers() const;
  /// The imported model with few layers, and with one layer more.
  const graph::FewLayers &few();
  const graph::FewLayers &oneMore();
  /// What the graphs are lowered to under some decisions.
  std::shared_ptr<Lowerings> lowerings(const Decisions &decisions) { return shared.of(decisions); }

private:
  mlir::ModuleOp importedWith(Layers layers);

  mlir::ModuleOp imported;
  /// By layers, recomputation, limits, rows, and whether these stay gathered.
  std::map<std::tuple<Layers, std::string, Limits, bool, bool, bool>, mlir::OwningOpRef<mlir::ModuleOp>>
      graphs;
  std::array<std::optional<graph::FewLayers>, 2> withFew;
  std::map<Limits, Result<ActivationChoices>> choices;
  SharedLowerings shared;
};

} // namespace windlass
