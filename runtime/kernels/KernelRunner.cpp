// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/KernelRunner.h"
#include "runtime/kernels/ReferenceMatmul.h"

namespace windlass {

Result<std::unique_ptr<KernelRunner>> KernelRunner::create(const KernelLibrary &library) {
  auto runner = std::make_unique<KernelRunner>(library);
  WINDLASS_TRY(runner->team.started());
  for (const LoadedKernel &kernel : library.kernels()) {
    std::optional<MatmulCall> &call = runner->calls.emplace_back();
    if (!kernel.matmul)
      continue;
    Result<MatmulCall> made = MatmulCall::create(kernel.matmul);
    if (!made)
      return made.status();
    call = made.take();
  }
  return runner;
}

Status KernelRunner::launch(int32_t kernel, void *const *args, int64_t begin, int64_t end) {
  if (std::optional<MatmulCall> &call = calls[kernel])
    return call->run(args, &team);
  const LoadedKernel &loaded = library.kernels()[kernel];
  if (loaded.reference) {
    multiplyByReference(*loaded.reference, args, team);
    return Status::ok();
  }
  if (loaded.pieced && library.threadsPerRank() > 1) {
    team.run(loaded.pieced->pieces, args, 0, loaded.pieced->count, /*grain=*/1);
    loaded.pieced->total(args, begin, end);
    return Status::ok();
  }
  team.run(loaded.generated, args, begin, end, loaded.grain);
  return Status::ok();
}

} // namespace windlass
