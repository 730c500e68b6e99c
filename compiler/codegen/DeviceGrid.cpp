// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DeviceGrid.h"

namespace windlass::codegen {

DeviceGrid mapGrid(int64_t tasks) {
  if (tasks >= kMapThreads)
    return {.perBlock = 1, .across = (tasks + kMapThreads - 1) / kMapThreads, .threads = kMapThreads};
  return {.perBlock = kMapThreads / tasks, .across = 1, .threads = kMapThreads};
}

} // namespace windlass::codegen
