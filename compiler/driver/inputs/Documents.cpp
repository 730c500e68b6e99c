// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/inputs/Documents.h"

#include "compiler/import/graphjson/GraphJsonOps.h"
#include "compiler/training/TrainingFile.h"
#include "model/MachineSchema.h"

namespace windlass {

std::string defaultsOf(const std::string &name) {
  return name == "training" ? trainingDefaults() : name == "hardware" ? model::hardwareTemplate() : "";
}

std::string schemaOf(const std::string &name) {
  return name == "model"      ? graphJsonSchema()
         : name == "training" ? trainingSchema()
         : name == "hardware" ? model::hardwareSchema()
                              : "";
}

} // namespace windlass
