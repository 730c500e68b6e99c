// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/TileChoice.h"

#include "runtime/base/Units.h"
#include <algorithm>

namespace windlass {
namespace {

bool changesTiles(const Limits &limits, const Limits &now) {
  return limits.tile != now.tile || limits.activation != now.activation;
}

/// The largest of one way.
Result<std::optional<Limits>> largestOf(const std::vector<Limits> &way,
                                        const std::function<Result<bool>(const Limits &)> &fits) {
  std::optional<Limits> best;
  size_t low = 0, high = way.size(); // the first that fits is in [low, high], if one is
  for (bool isFirst = true; low < high; isFirst = false) {
    const size_t at = isFirst ? high - 1 : low + (high - low) / 2;
    Result<bool> fit = fits(way[at]);
    if (!fit)
      return fit.status();
    if (*fit) {
      best = way[at];
      high = at;
    } else {
      low = isFirst ? high : at + 1;
    }
  }
  return best;
}

} // namespace

TileWays tileWays(const Limits &now, const std::vector<int64_t> &tiles, const std::vector<int64_t> &blocks) {
  TileWays ways(3);
  for (int64_t bytes : tiles)
    ways[0].push_back({bytes, bytes, now.attention});
  for (int64_t bytes : blocks)
    ways[1].push_back({now.tile, now.activation, bytes});
  if (!tiles.empty() && !blocks.empty())
    for (size_t i = 0; i < std::max(tiles.size(), blocks.size()); ++i) {
      const int64_t tile = tiles[std::min(i, tiles.size() - 1)];
      ways[2].push_back({tile, tile, blocks[std::min(i, blocks.size() - 1)]});
    }
  if (!tiles.empty() && !blocks.empty() && blocks.front() > tiles.front())
    std::swap(ways[0], ways[1]);
  return ways;
}

Result<std::optional<Limits>> largestTilesThatFit(const TileWays &ways,
                                                  const std::function<Result<bool>(const Limits &)> &fits) {
  for (const std::vector<Limits> &way : ways)
    if (Result<std::optional<Limits>> best = largestOf(way, fits); !best || *best)
      return best;
  return std::optional<Limits>();
}

std::string describeTiles(const Limits &limits, const Limits &now) {
  std::string text;
  if (changesTiles(limits, now))
    text = "tiles of " + formatBytes(*limits.tile);
  if (limits.attention != now.attention)
    text += (text.empty() ? "" : " and ") + ("blocks of attention of " + formatBytes(*limits.attention));
  return text;
}

std::string tileKeys(const Limits &limits, const Limits &now) {
  std::string keys;
  if (changesTiles(limits, now))
    keys = "\"limit\": " + std::to_string(*limits.tile) +
           ", \"activation\": " + std::to_string(*limits.activation);
  if (limits.attention != now.attention)
    keys += (keys.empty() ? "" : ", ") + ("\"attention\": " + std::to_string(*limits.attention));
  return "\"tile\": {" + keys + "}";
}

} // namespace windlass
