// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/SharedLibrary.h"
#include <dlfcn.h>

namespace windlass::cuda {

Status needs(const std::string &what) { return Status::cannotFit("a cuda plan here needs " + what); }

std::string releaseText(int release) {
  return std::to_string(release / 1000) + "." + std::to_string(release % 1000 / 10);
}

Result<SharedLibrary> SharedLibrary::open(std::string what, std::span<const char *const> files) {
  std::string faults;
  for (const char *file : files) {
    if (void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL))
      return SharedLibrary(std::move(what), file,
                           [handle](const char *symbol) { return dlsym(handle, symbol); });
    faults += (faults.empty() ? "" : "; ") + std::string(dlerror());
  }
  return needs(what + ", which cannot be loaded: " + faults);
}

Status SharedLibrary::lacks(const char *symbol, int since) const {
  return needs(what + " of release " + releaseText(since) + " or later: '" + file + "' has no '" + symbol +
               "'");
}

} // namespace windlass::cuda
