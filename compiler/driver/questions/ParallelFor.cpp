// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/ParallelFor.h"

#include "llvm/Support/ThreadPool.h"
#include <vector>

namespace windlass {

void parallelFor(size_t count, int64_t jobs, const std::function<void(size_t)> &ask) {
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(static_cast<unsigned>(jobs)));
  std::vector<std::shared_future<void>> asked;
  for (size_t at = 0; at < count; ++at)
    asked.push_back(pool.async([&ask, at] { ask(at); }));
  pool.wait();
  for (const std::shared_future<void> &one : asked)
    one.get();
}

} // namespace windlass
