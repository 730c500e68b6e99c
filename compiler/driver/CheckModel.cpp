#include "compiler/driver/CheckModel.h"

#include "compiler/import/onnx/DescribeOnnx.h"
#include <filesystem>

namespace windlass {

Result<std::string> checkModel(const CompileRequest &request) {
  TrainingOptions training;
  training.microBatch = 1;
  if (!request.training.empty()) {
    Result<TrainingOptions> read = readTrainingFile(request.training);
    if (!read)
      return read.status();
    training = *read;
  }
  if (std::filesystem::path(request.model).extension() != ".onnx")
    return Status::badInput(request.model +
                            ": --check is for ONNX files; other models say themselves what they hold");
  Result<OnnxDescription> description = describeOnnx(request.model, training, request.onnx);
  return description ? Result<std::string>(description->report) : Result<std::string>(description.status());
}

} // namespace windlass
