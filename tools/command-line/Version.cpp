// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/command-line/Version.h"

#include "runtime/plan/Plan.h"

namespace windlass {

std::string_view version() { return WINDLASS_VERSION; }

std::string versionOf(std::string_view tool) {
  return std::string(tool) + " " + WINDLASS_VERSION + ", plan format " + std::to_string(plan::kPlanVersion);
}

} // namespace windlass
