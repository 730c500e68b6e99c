// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated cuBLASLt as the library that a program loads in the place of NVIDIA's. It works on the device
// of the simulated driver that the program has loaded (SimLibrary.cpp).
#include "test/support/cuda/SimBlasLt.h"
#include "test/support/cuda/SimDevice.h"
#include <dlfcn.h>

namespace windlass::test {

SimDevice *simDevice() {
  using Find = SimDevice *();
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto *find = driver ? reinterpret_cast<Find *>(dlsym(driver, "windlass_sim_device")) : nullptr;
  return find ? find() : nullptr;
}

} // namespace windlass::test

namespace {

const windlass::cuda::BlasLt &table() {
  static const windlass::cuda::BlasLt functions = windlass::test::SimBlasLt::table();
  return functions;
}

} // namespace

// As SimLibrary.cpp exports the driver's.
extern "C" {
using Function = void (*)();
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters)                                      \
  Function resolve_##Symbol() { return reinterpret_cast<Function>(table().Member); }
#include "runtime/cuda/BlasLt.def"
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters)                                      \
  __attribute__((ifunc("resolve_" #Symbol))) void Symbol();
#include "runtime/cuda/BlasLt.def"
}
