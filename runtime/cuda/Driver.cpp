// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Driver.h"

namespace windlass::cuda {

Result<Driver> bindDriver(const SharedLibrary &library) {
  Driver driver;
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters)                                        \
  WINDLASS_TRY(library.bind(#Base #Suffix, Since, driver.Member));
#include "runtime/cuda/Driver.def"
  return driver;
}

Result<Driver> loadDriver() {
  static constexpr const char *kFiles[] = {"libcuda.so.1"};
  const Result<SharedLibrary> library = SharedLibrary::open("NVIDIA's driver", kFiles);
  if (!library)
    return library.status();
  return bindDriver(*library);
}

Status Driver::status(CuResult result, const char *symbol) const {
  if (result == CuResult::Success)
    return Status::ok();
  const char *name = nullptr, *text = nullptr;
  if (errorName(result, &name) != CuResult::Success || errorText(result, &text) != CuResult::Success)
    return Status::runFailed(std::string(symbol) + ": error " +
                             std::to_string(static_cast<unsigned>(result)) +
                             ", which the driver has no words for");
  return Status::runFailed(std::string(symbol) + ": " + text + " (" + name + ")");
}

} // namespace windlass::cuda
