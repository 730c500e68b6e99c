// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/candidates/TileBounds.h"

#include "passes/Graph/TileMatmuls.h"
#include <algorithm>

using namespace mlir;

namespace windlass {
namespace {

/// The most tiles, and the most blocks of scores (8 by 8), that the largest tensor is cut into.
constexpr int64_t kMostTiles = 32, kMostBlocks = 64;
/// A limit that cuts nothing.
constexpr int64_t kNoLimit = INT64_MAX;

/// A lower bound of the tiles that a limit makes of all parameters over it.
int64_t countTiles(ModuleOp module, int64_t limit) {
  int64_t tiles = 0;
  for (auto state : module.getOps<graph::StateOp>()) {
    auto type = cast<RankedTensorType>(state.getType());
    const int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    if (state.getRole() == graph::Role::Parameter && bytes > limit)
      tiles += (bytes + limit - 1) / limit;
  }
  return tiles;
}

} // namespace

Status TileBounds::check(ModuleOp imported, const std::string &trainingFile) const {
  WINDLASS_TRY(checkTiles(imported, trainingFile));
  return checkAttention(imported, trainingFile);
}

Status TileBounds::checkTiles(ModuleOp imported, const std::string &trainingFile) const {
  if (!training.tileLimit && !training.tileActivation)
    return Status::ok();
  Result<OwningOpRef<ModuleOp>> module = levels.typed(imported, training.tensorRanks);
  if (!module)
    return module.status();
  const graph::TileLimits limits{training.tileLimit.value_or(0), training.tileActivation.value_or(0)};
  std::optional<graph::LeastTile> least = graph::leastTileOver(**module, limits);
  if (!least && training.tensorRanks > 1) { // tiles of some parts, as those of convolutions, have no split
    const Status cut = levels.differentiated(imported, limitsOf(training)).status();
    const std::string keys = !training.tileActivation ? "tile.limit"
                             : !training.tileLimit    ? "tile.activation"
                                                      : "tile.limit and tile.activation";
    return cut ? cut
               : Status::badInput(trainingFile + ": " + keys +
                                  ": no parts that the ranks of parallel.tensor " +
                                  std::to_string(training.tensorRanks) + " have of this model can be cut (" +
                                  cut.message() + "): leave out tiles, or parallel.tensor");
  }
  if (!least)
    return Status::ok();
  std::string key = least->ofParameter ? "tile.limit" : "tile.activation";
  return Status::badInput(trainingFile + ": " + key + ": must be at least " + std::to_string(least->bytes) +
                          ", the bytes of the smallest tile " + (least->ofParameter ? "of" : "behind") +
                          " \"" + least->parameter + "\", is " +
                          std::to_string(least->ofParameter ? limits.parameter : limits.activation));
}

Result<std::vector<std::string>> TileBounds::ineffectiveKeys(ModuleOp imported) const {
  if (!training.tileLimit && !training.tileActivation && !training.attentionLimit)
    return std::vector<std::string>();
  Result<OwningOpRef<ModuleOp>> module = levels.typed(imported, training.tensorRanks);
  if (!module)
    return module.status();
  std::vector<std::string> idle; // a limit of one byte is too small for any tensor that can be cut
  if (training.tileLimit && !graph::leastTileOver(**module, {1, 0}))
    idle.push_back("tile.limit");
  if (training.tileActivation && !graph::leastTileOver(**module, {0, 1}))
    idle.push_back("tile.activation");
  if (training.attentionLimit && graph::attentionLimits(**module).most == 0)
    idle.push_back("tile.attention");
  return idle;
}

Result<std::vector<int64_t>> TileBounds::smallerLimits(ModuleOp imported, int64_t mostTiles) const {
  Result<OwningOpRef<ModuleOp>> module = levels.typed(imported, training.tensorRanks);
  if (!module)
    return module.status();
  const int64_t largest = graph::largestToTile(**module);
  const int64_t now =
      std::min(training.tileLimit.value_or(kNoLimit), training.tileActivation.value_or(kNoLimit));
  // Tensor ranks may have parts that no tiles are: nothing is proposed that would be refused.
  const auto cutsParts = [&](int64_t limit) -> bool {
    return training.tensorRanks == 1 ||
           levels.differentiated(imported, {limit, limit, training.attentionLimit});
  };
  std::vector<int64_t> limits;
  for (int64_t tiles = 2; tiles <= kMostTiles; tiles *= 2)
    if (int64_t limit = (largest + tiles - 1) / tiles;
        limit > 0 && limit < now && countTiles(**module, limit) <= mostTiles &&
        !graph::leastTileOver(**module, {limit, limit}) && cutsParts(limit))
      limits.push_back(limit);
  return limits;
}

Result<std::vector<std::string>> TileBounds::wholeBesideRanks(ModuleOp imported) const {
  std::vector<std::string> whole;
  if (!training.tileLimit || training.tensorRanks == 1)
    return whole;
  Result<OwningOpRef<ModuleOp>> shared = levels.typed(imported, training.tensorRanks),
                                alone = levels.typed(imported, 1);
  WINDLASS_TRY(shared.status());
  WINDLASS_TRY(alone.status());
  const graph::TileLimits limits{*training.tileLimit, training.tileActivation.value_or(0)};
  std::ranges::set_difference(graph::parametersOver(**shared, limits), graph::parametersOver(**alone, limits),
                              std::back_inserter(whole));
  return whole;
}

/// The limits on scores of attention, for the heads of one rank.
Result<graph::AttentionLimits> TileBounds::attentionOf(ModuleOp imported) const {
  Result<OwningOpRef<ModuleOp>> module = levels.typed(imported, training.tensorRanks);
  if (!module)
    return module.status();
  return graph::attentionLimits(**module);
}

Result<std::vector<int64_t>> TileBounds::smallerAttentionLimits(ModuleOp imported) const {
  Result<graph::AttentionLimits> found = attentionOf(imported);
  if (!found)
    return found.status();
  const graph::AttentionLimits scores = *found;
  const int64_t now = std::min(training.attentionLimit.value_or(kNoLimit), scores.most);
  std::vector<int64_t> limits;
  for (int64_t blocks = 2; blocks <= kMostBlocks; blocks *= 2)
    if (int64_t limit = std::max((scores.most + blocks - 1) / blocks, scores.least);
        limit < now && (limits.empty() || limit < limits.back()))
      limits.push_back(limit);
  return limits;
}

Status TileBounds::checkAttention(ModuleOp imported, const std::string &trainingFile) const {
  if (!training.attentionLimit)
    return Status::ok();
  Result<graph::AttentionLimits> scores = attentionOf(imported);
  if (!scores || *training.attentionLimit >= scores->least)
    return scores.status();
  return Status::badInput(trainingFile + ": tile.attention: must be at least " +
                          std::to_string(scores->least) + ", the bytes of the smallest block of scores, is " +
                          std::to_string(*training.attentionLimit));
}

} // namespace windlass
