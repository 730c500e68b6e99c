// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A training file is refused with its name, or its global batch is the product of its parts.
#include "compiler/training/TrainingFile.h"
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace windlass;
  Result<TrainingOptions> training =
      parseTraining({reinterpret_cast<const char *>(data), size}, "training.json");
  if (!training && !training.status().message().starts_with("training.json: "))
    std::abort();
  if (training &&
      training->globalBatch != training->dataRanks * training->microBatches * training->microBatch)
    std::abort();
  return 0;
}
