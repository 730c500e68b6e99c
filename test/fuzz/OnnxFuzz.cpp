// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ONNX file is refused with its name, or becomes a graph document.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/fuzz/MemoryFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace windlass;
  static const TrainingOptions training = *parseTraining(
      R"({"format": "windlass.training/1", "micro_batch": 2, "sequence": 8})", "training.json");
  const fuzz::MemoryFile memory(data, size);
  Result<OnnxDescription> description = describeOnnx(memory.path(), training, {});
  if (!description && (description.status().code() != ExitCode::BadInput ||
                       !description.status().message().starts_with(memory.path())))
    std::abort();
  return 0;
}
