// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/BlasLt.h"

namespace windlass::cuda {

Result<BlasLt> bindBlasLt(const SharedLibrary &library) {
  BlasLt functions;
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters)                                      \
  WINDLASS_TRY(library.bind(#Symbol, Since, functions.Member));
#include "runtime/cuda/BlasLt.def"
  return functions;
}

Result<BlasLt> loadBlasLt() {
  static constexpr const char *kFiles[] = {"libcublasLt.so.13", "libcublasLt.so.12"};
  const Result<SharedLibrary> library = SharedLibrary::open("cuBLASLt", kFiles);
  if (!library)
    return library.status();
  return bindBlasLt(*library);
}

} // namespace windlass::cuda
