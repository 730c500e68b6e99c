// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/capacity/TileChoice.h"

#include "runtime/plan/Reasons.h"

#include <algorithm>

namespace windlass {
namespace {

/// The index of the first limits of a sequence that meet the bound; the size of the sequence if there are
/// none. By bisection, since smaller limits have smaller bounds.
Result<size_t> firstThatMayFit(const std::vector<Limits> &sequence, const LimitOracle &oracle) {
  size_t low = 0, high = sequence.size();
  for (bool isFirst = true; low < high; isFirst = false) { // the last limits first: do any meet it?
    const size_t at = isFirst ? high - 1 : low + (high - low) / 2;
    Result<bool> may = oracle.mayFit(sequence[at]);
    if (!may)
      return may.status();
    if (!*may && isFirst)
      return sequence.size();
    (*may ? high : low) = *may ? at : at + 1;
  }
  return high;
}

/// The largest limits of a sequence that fit, tried one after another. The smallest may not fit although
/// larger ones do, since staging many small tiles takes memory, too.
Result<std::optional<Limits>> largestOf(const std::vector<Limits> &sequence, const LimitOracle &oracle) {
  Result<size_t> first = firstThatMayFit(sequence, oracle);
  if (!first)
    return first.status();
  for (size_t at = *first; at < sequence.size(); ++at) {
    Result<bool> fit = oracle.fits(sequence[at]);
    if (!fit)
      return fit.status();
    if (*fit)
      return std::optional(sequence[at]);
  }
  return std::optional<Limits>();
}

} // namespace

LimitSequences limitSequences(const Limits &now, const std::vector<int64_t> &tiles,
                              const std::vector<int64_t> &blocks) {
  LimitSequences sequences(3);
  for (int64_t bytes : tiles)
    sequences[0].push_back({bytes, bytes, now.attention});
  for (int64_t bytes : blocks)
    sequences[1].push_back({now.tile, now.activation, bytes});
  if (!tiles.empty() && !blocks.empty())
    for (size_t i = 0; i < std::max(tiles.size(), blocks.size()); ++i) {
      const int64_t tile = tiles[std::min(i, tiles.size() - 1)];
      sequences[2].push_back({tile, tile, blocks[std::min(i, blocks.size() - 1)]});
    }
  if (!tiles.empty() && !blocks.empty() && blocks.front() > tiles.front())
    std::swap(sequences[0], sequences[1]);
  return sequences;
}

Result<std::optional<Limits>> largestLimitsThatFit(const LimitSequences &sequences,
                                                   const LimitOracle &oracle) {
  for (const std::vector<Limits> &sequence : sequences)
    if (Result<std::optional<Limits>> best = largestOf(sequence, oracle); !best || *best)
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
