// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/NearestName.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace windlass {
namespace {

/// Levenshtein's distance, one row at a time.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::string_view nearestName(std::string_view name, std::span<const std::string_view> known) {
  return nearestName(name, known, std::max<size_t>(2, name.size() / 2));
}

std::string_view nearestName(std::string_view name, std::span<const std::string_view> known, size_t most) {
  constexpr size_t kLongestName = 64; // hostile input must not cost time
  if (name.size() > kLongestName)
    return {};
  std::string_view nearest;
  size_t fewest = most + 1;
  for (std::string_view candidate : known) {
    size_t edits = editDistance(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string didYouMean(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest = nearestName(name, known);
  return nearest.empty() ? "" : ", did you mean \"" + std::string(nearest) + "\"?";
}

} // namespace windlass
