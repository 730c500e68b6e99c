// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Nccl.h"

namespace windlass::cuda {

Result<Nccl> bindNccl(const SharedLibrary &library) {
  Nccl functions;
#define WINDLASS_NCCL_CALL(Member, Symbol, Since, Result, Parameters)                                        \
  WINDLASS_TRY(library.bind(#Symbol, Since, functions.Member));
#include "runtime/cuda/Nccl.def"
  return functions;
}

Result<Nccl> loadNccl() {
  static constexpr const char *kFiles[] = {"libnccl.so.2"};
  const Result<SharedLibrary> library = SharedLibrary::open("NCCL", kFiles);
  if (!library)
    return library.status();
  return bindNccl(*library);
}

} // namespace windlass::cuda
