// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of windlass-run; what it opens is MpiNetwork.cpp.
#include "runtime/transport/mpi/MpiWorld.h"

#include <dlfcn.h>
#include <filesystem>

namespace windlass {

Result<std::unique_ptr<MpiWorld>> MpiWorld::open() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  const fs::path tools = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  const std::string file = (tools.parent_path() / "lib/windlass/windlass-mpi.so").string();
  if (!fs::exists(file, unknown))
    return Status::cannotFit(file + ": is not there: Windlass was built where no MPI was found");
  void *module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module)
    return Status::cannotFit(std::string("the MPI library cannot be loaded: ") + ::dlerror());
  auto make = reinterpret_cast<MakeMpiWorld>(::dlsym(module, kMakeMpiWorld));
  if (!make)
    return Status::cannotFit(file + ": has no " + kMakeMpiWorld);
  Result<std::unique_ptr<MpiWorld>> world = Status::internal(file + ": opened nothing");
  make(&world);
  return world;
}

} // namespace windlass
