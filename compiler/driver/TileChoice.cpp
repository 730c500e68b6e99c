#include "compiler/driver/TileChoice.h"

namespace windlass {

Result<std::optional<int64_t>> largestTilesThatFit(const std::vector<int64_t> &limits,
                                                   const std::function<Result<bool>(int64_t)> &fits) {
  std::optional<int64_t> best;
  size_t low = 0, high = limits.size(); // the first that fits is in [low, high], if one is
  for (bool isFirst = true; low < high; isFirst = false) {
    const size_t at = isFirst ? high - 1 : low + (high - low) / 2;
    Result<bool> fit = fits(limits[at]);
    if (!fit)
      return fit.status();
    if (*fit) {
      best = limits[at];
      high = at;
    } else {
      low = isFirst ? high : at + 1;
    }
  }
  return best;
}

std::string tileKeys(int64_t limit) {
  const std::string bytes = std::to_string(limit);
  return "\"tile\": {\"limit\": " + bytes + ", \"activation\": " + bytes + "}";
}

} // namespace windlass
