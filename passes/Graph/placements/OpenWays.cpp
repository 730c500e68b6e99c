// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Graph/placements/OpenWays.h"

using namespace mlir;

namespace windlass::graph {

size_t OpenWays::take(Operation *op, size_t ways) {
  if (ways == 1)
    return 0;
  size_t &taken = earlier[op];
  if (next == all.size())
    all.push_back({taken % ways, 0, ways, {}});
  const Open &open = all[next++];
  return taken = (open.first + open.tried) % ways;
}

void OpenWays::dependOn(size_t op, const OpenOps &others) {
  all[op].because.insert(others.begin(), others.end());
}

bool OpenWays::tryOthers(OpenOps because) {
  next = 0;
  while (!because.empty()) {
    const size_t last = *because.rbegin();
    all.resize(last + 1);
    because.erase(last);
    all[last].because.insert(because.begin(), because.end());
    if (++all[last].tried < all[last].ways)
      return true;
    because = all[last].because;
  }
  return false;
}

} // namespace windlass::graph
