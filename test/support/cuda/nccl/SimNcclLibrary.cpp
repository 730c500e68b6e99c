// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated NCCL as a shared library, which a program loads in place of NVIDIA's. It uses the device of
// SimLoadedDevice.cpp.
#include "test/support/cuda/nccl/SimNccl.h"

namespace {

const windlass::cuda::Nccl &table() {
  static const windlass::cuda::Nccl functions = windlass::test::SimNccl::table();
  return functions;
}

} // namespace

// Exports the functions as SimLibrary.cpp exports those of the driver.
extern "C" {
using Function = void (*)();
#define WINDLASS_NCCL_CALL(Member, Symbol, Since, Result, Parameters)                                        \
  Function resolve_##Symbol() { return reinterpret_cast<Function>(table().Member); }
#include "runtime/cuda/Nccl.def"
#define WINDLASS_NCCL_CALL(Member, Symbol, Since, Result, Parameters)                                        \
  __attribute__((ifunc("resolve_" #Symbol))) void Symbol();
#include "runtime/cuda/Nccl.def"
}
