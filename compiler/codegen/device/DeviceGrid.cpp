// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/device/DeviceGrid.h"

namespace windlass::codegen {

DeviceGrid gridOf(int64_t tasks, int64_t blockTasks, int64_t threads) {
  if (tasks >= blockTasks)
    return {.perBlock = 1, .across = (tasks + blockTasks - 1) / blockTasks, .threads = threads};
  return {.perBlock = blockTasks / tasks, .across = 1, .threads = threads};
}

} // namespace windlass::codegen
