// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelGraphs.h - what the candidates of a model share ================//
//
// Duty: an imported model at the graph level, which knows neither ranks nor homes, so that candidates of all
// strategies share it: lowered once for each recomputation, limits of tiles and rows; with few of its layers;
// and the sets of activations that its layers may keep. Each is made when it is first asked for.
// Errors: those of the passes. Threads, ownership: as MLIR's; refers to the imported module. All levels that
// it is asked with are of one training file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/candidates/ActivationChoices.h"
#include "compiler/driver/candidates/Candidate.h"
#include "compiler/driver/candidates/Levels.h"
#include "passes/Graph/FewLayers.h"
#include <array>
#include <map>
#include <optional>

namespace windlass {

/// Which layers of the model a module has.
enum class Layers : uint8_t { All, Few, OneMore };

class ModelGraphs {
public:
  explicit ModelGraphs(mlir::ModuleOp imported) : imported(imported) {}

  /// The module at the end of the graph level.
  Result<mlir::ModuleOp> lowered(const Candidate &candidate, Levels &levels, Layers layers = Layers::All);
  /// Whether the layers have all activations that a candidate keeps.
  bool hasKept(const Candidate &candidate, Levels &levels) const;
  /// The sets of activations that the layers may keep.
  Result<ActivationChoices> activationChoices(Levels &levels);
  /// Of the model; 0: nobody says.
  int64_t layers() const;
  /// As it was imported, with few layers, and with one layer more.
  const graph::FewLayers &few();
  const graph::FewLayers &oneMore();

private:
  mlir::ModuleOp importedWith(Layers layers);

  mlir::ModuleOp imported;
  /// By layers, recomputation, limits, rows, and whether these stay gathered.
  std::map<std::tuple<Layers, std::string, Limits, bool, bool, bool>, mlir::OwningOpRef<mlir::ModuleOp>>
      graphs;
  std::array<std::optional<graph::FewLayers>, 2> withFew;
  std::optional<ActivationChoices> choices;
};

} // namespace windlass
