// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model file is refused with its name, or becomes a module that verifies.
#include "compiler/import/graphjson/GraphJson.h"
#include "mlir/IR/MLIRContext.h"
#include "runtime/base/JsonReader.h"
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace windlass;
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  static const TrainingOptions training = *parseTraining(
      R"({"format": "windlass.training/1", "micro_batch": 2, "sequence": 8})", "training.json");
  Result<nlohmann::json> document =
      JsonReader::parse({reinterpret_cast<const char *>(data), size}, "model.json");
  if (!document)
    return 0;
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module =
      buildGraph(context, *document, "model.json", "", training);
  if (!module && module.status().code() != ExitCode::BadInput)
    std::abort(); // the reader should have found every error of the verifier
  return 0;
}
