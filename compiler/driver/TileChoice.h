//===- TileChoice.h - tiles with which a plan fits =========================//
//
// Duty: finds the largest limit of tiles that helps where no plan fits, and says how a training file asks for
// it. Units: bytes. Threads: as the callback's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

/// Of `limits`, the largest first, the largest for which `fits`; smaller tiles need no more memory, so if the
/// smallest do not help, none do.
Result<std::optional<int64_t>> largestTilesThatFit(const std::vector<int64_t> &limits,
                                                   const std::function<Result<bool>(int64_t)> &fits);

/// "tile": {"limit": 65536, "activation": 65536}
std::string tileKeys(int64_t limit);

} // namespace windlass
