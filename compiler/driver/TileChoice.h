// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TileChoice.h - tiles with which a plan fits =========================//
//
// Duty: finds the largest limits of tiles that help where no plan fits. Units: bytes. Threads: as the
// callback's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Candidates.h"
#include "runtime/base/Status.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

/// Ways to cut a model: of each, limits to try, the largest first. Parameters and activations, or blocks of
/// attention's scores, whichever are larger; then the others; then both.
using TileWays = std::vector<std::vector<Limits>>;

/// `now`: the training file's. `tiles`, `blocks`: limits below them, the largest first; either may be empty.
TileWays tileWays(const Limits &now, const std::vector<int64_t> &tiles, const std::vector<int64_t> &blocks);

/// Whether something fits by some limits: `mayFit` is soon said, and its "no" is certain.
struct TileQuestions {
  std::function<Result<bool>(const Limits &)> mayFit, fits;
};

/// Of the first way that helps, the largest limits for which `fits`; smaller tiles need no more memory, so if
/// the smallest do not help, none do.
Result<std::optional<Limits>> largestTilesThatFit(const TileWays &ways, const TileQuestions &ask);

/// What `limits` ask for beyond `now`.
plan::Figures tileFigures(const Limits &limits, const Limits &now);

} // namespace windlass
