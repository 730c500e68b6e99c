// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/checkpoint/NumericsRecord.h"

#include "runtime/backend/Backend.h"
#include "runtime/base/JsonReader.h"

namespace windlass {

Result<std::string> effectiveRecord(const plan::Plan &plan) {
  Result<std::unique_ptr<Backend>> backend = makeBackend(plan.backend);
  if (!backend)
    return backend.status();
  Result<std::map<std::string, std::string>> here = (*backend)->numerics(plan);
  if (!here)
    return here.status();
  Result<nlohmann::json> record =
      JsonReader::parse(plan.numerics.empty() ? "{}" : plan.numerics, "plan: numerics");
  if (!record)
    return record.status();
  if (!record->is_object())
    return Status::badInput("plan: numerics: must be an object, is " + record->dump());
  for (const auto &[key, value] : *here)
    (*record)[key] = value;
  return record->dump();
}

} // namespace windlass
