// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/TileChoice.h"

#include <algorithm>

namespace windlass {
namespace {

/// The first of `way`, from `low` on, for which `holds`; its end where none is.
Result<size_t> firstThat(const std::vector<Limits> &way, size_t low,
                         const std::function<Result<bool>(const Limits &)> &holds) {
  size_t high = way.size();
  for (bool isFirst = true; low < high; isFirst = false) { // the smallest tells whether there is one
    const size_t at = isFirst ? high - 1 : low + (high - low) / 2;
    Result<bool> held = holds(way[at]);
    if (!held)
      return held.status();
    if (!*held && isFirst)
      return way.size();
    (*held ? high : low) = *held ? at : at + 1;
  }
  return high;
}

/// The largest of one way. What may fit at last, and nothing larger may, often does.
Result<std::optional<Limits>> largestOf(const std::vector<Limits> &way, const TileQuestions &ask) {
  Result<size_t> first = firstThat(way, 0, ask.mayFit);
  if (!first)
    return first.status();
  if (*first > 0 && *first < way.size()) {
    Result<bool> fit = ask.fits(way[*first]);
    if (!fit)
      return fit.status();
    if (*fit)
      return std::optional(way[*first]);
    ++*first;
  }
  first = firstThat(way, *first, ask.fits);
  if (!first)
    return first.status();
  return *first < way.size() ? std::optional(way[*first]) : std::nullopt;
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

Result<std::optional<Limits>> largestTilesThatFit(const TileWays &ways, const TileQuestions &ask) {
  for (const std::vector<Limits> &way : ways)
    if (Result<std::optional<Limits>> best = largestOf(way, ask); !best || *best)
      return best;
  return std::optional<Limits>();
}

plan::Figures tileFigures(const Limits &limits, const Limits &now) {
  plan::Figures figures;
  auto add = [&](plan::Figure figure, std::optional<int64_t> bytes) {
    figures.emplace_back(figure, static_cast<double>(*bytes));
  };
  if (limits.tile != now.tile || limits.activation != now.activation) {
    add(plan::Figure::TileBytes, limits.tile);
    add(plan::Figure::ActivationBytes, limits.activation);
  }
  if (limits.attention != now.attention)
    add(plan::Figure::AttentionBytes, limits.attention);
  return figures;
}

} // namespace windlass
