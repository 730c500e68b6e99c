// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan is refused with its file's name, or is sound and reads back as it was printed.
#include "runtime/plan/check/Checker.h"
#include "runtime/plan/file/PlanHash.h"
#include "runtime/plan/file/PlanReader.h"
#include "runtime/plan/file/PlanWriter.h"
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace windlass;
  // The hash is corrected, so that fuzzing also reaches the code after the check of the hash.
  const std::string text = plan::rehashed(std::string(reinterpret_cast<const char *>(data), size));
  Result<plan::Plan> plan = plan::parsePlan(text, "plan.json");
  if (!plan) {
    if (!plan.status().message().starts_with("plan.json: "))
      std::abort();
    return 0;
  }
  if (!plan::checkPlan(*plan))
    return 0;
  Result<std::string> printed = plan::printPlan(*plan);
  if (!printed || !plan::parsePlan(*printed, "plan.json"))
    std::abort();
  return 0;
}
