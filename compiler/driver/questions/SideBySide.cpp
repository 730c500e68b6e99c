// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/SideBySide.h"

#include "llvm/Support/ThreadPool.h"

namespace windlass {

void askSideBySide(size_t count, int64_t jobs, const std::function<void(size_t)> &ask) {
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(static_cast<unsigned>(jobs)));
  for (size_t at = 0; at < count; ++at)
    pool.async([&ask, at] { ask(at); });
  pool.wait();
}

} // namespace windlass
