// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated cuBLASLt as a shared library, which a program loads in place of NVIDIA's. It uses the device
// of SimLoadedDevice.cpp.
#include "test/support/cuda/blaslt/SimBlasLt.h"

namespace {

const windlass::cuda::BlasLt &table() {
  static const windlass::cuda::BlasLt functions = windlass::test::SimBlasLt::table();
  return functions;
}

} // namespace

// Exports the functions as SimLibrary.cpp exports those of the driver.
extern "C" {
using Function = void (*)();
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters)                                      \
  Function resolve_##Symbol() { return reinterpret_cast<Function>(table().Member); }
#include "runtime/cuda/BlasLt.def"
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters)                                      \
  __attribute__((ifunc("resolve_" #Symbol))) void Symbol();
#include "runtime/cuda/BlasLt.def"
}
