// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/backend/Backend.h"

namespace windlass {

#define WINDLASS_BACKEND(Name, Make) Result<std::unique_ptr<Backend>> Make();
#include "runtime/backend/Backends.def"

Result<std::unique_ptr<Backend>> makeBackend(std::string_view name) {
  std::string names;
#define WINDLASS_BACKEND(Name, Make)                                                                         \
  if (name == Name)                                                                                          \
    return Make();                                                                                           \
  names += (names.empty() ? "'" : ", '") + std::string(Name) + "'";
#include "runtime/backend/Backends.def"
  return Status::cannotFit("the plan is for the backend '" + std::string(name) +
                           "'; built in here: " + names);
}

} // namespace windlass
