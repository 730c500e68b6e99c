// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Import.h"

#include "compiler/import/ImportOnnx.h"
#include "compiler/import/graphjson/GraphJson.h"
#include "compiler/import/huggingface/HuggingFace.h"
#include "compiler/import/weights/Weights.h"
#include <filesystem>

namespace windlass {

static Result<mlir::OwningOpRef<mlir::ModuleOp>>
readModel(mlir::MLIRContext &context, const std::string &path, const TrainingOptions &training,
          const OnnxOptions &onnx, const std::string &weights) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return Status::badInput(path + ": must be a model file or folder, and is not there");
  if (fs::path(path).extension() == ".onnx")
    return importOnnx(context, path, training, onnx, /*withValues=*/weights.empty());
  if (const char *flag = onnx.firstGiven())
    return Status::badInput(path + ": " + flag + " is for ONNX files");
  if (fs::is_directory(status) || fs::path(path).filename() == "config.json")
    return importHuggingFace(context, path, training);
  if (fs::path(path).extension() == ".json")
    return importGraphJson(context, path, training);
  return Status::badInput(
      path + ": must be a folder with config.json, a config.json, an .onnx or a graph .json, is \"" +
      fs::path(path).extension().string() + "\"");
}

Result<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext &context, const std::string &path,
                                                      const TrainingOptions &training,
                                                      const OnnxOptions &onnx, const std::string &weights) {
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = readModel(context, path, training, onnx, weights);
  if (module)
    WINDLASS_TRY(chooseWeights(**module, path, weights));
  return module;
}

} // namespace windlass
