#include "runtime/training/NumericsRecord.h"

#include "runtime/base/JsonReader.h"
#include "runtime/kernels/InstructionSet.h"

namespace windlass {

Result<std::string> effectiveRecord(const plan::Plan &plan) {
  WINDLASS_TRY(checkTargetCpu(plan.targetCpu));
  WINDLASS_TRY(capLibraryKernels(plan.targetCpu));
  Result<nlohmann::json> record =
      JsonReader::parse(plan.numerics.empty() ? "{}" : plan.numerics, "plan: numerics");
  if (!record)
    return record.status();
  if (!record->is_object())
    return Status::badInput("plan: numerics: must be an object, is " + record->dump());
  (*record)["library"] = libraryVersion();
  (*record)["library_instruction_set"] = libraryInstructionSet();
  return record->dump();
}

} // namespace windlass
