// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device of a simulated library that a program loads by name: the device of the simulated driver
// (SimLibrary.cpp) that the program has loaded.
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
