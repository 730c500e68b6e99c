// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/CheckModel.h"

#include "compiler/driver/facts/ModelReport.h"
#include "compiler/driver/inputs/Inputs.h"
#include "compiler/driver/inputs/MeetingExamples.h"
#include "compiler/driver/inputs/Selection.h"
#include "compiler/import/onnx/DescribeOnnx.h"
#include <filesystem>

namespace windlass {

/// A further line of a report, on examples that may meet before the loss, if a training file is given.
static std::string noteOfMeeting(const CompileRequest &request, const TrainingOptions &training,
                                 const std::string &report) {
  mlir::MLIRContext context;
  if (request.training.empty())
    return "";
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module =
      importFor(context, request, training, training.microBatch);
  const bool isLossSaid = report.find("the loss: ") != std::string::npos;
  const std::string meeting =
      module ? meetingOfExamples(context, request, training, **module, isLossSaid) : "";
  return meeting.empty() ? "" : "note        " + meeting + "\n";
}

Result<std::string> checkModel(const CompileRequest &request) {
  TrainingOptions training;
  training.microBatch = 0; // as many as the file has
  if (!request.training.empty()) {
    Result<TrainingOptions> read = readTrainingFile(request.training);
    if (!read)
      return read.status();
    training = *read;
  }
  WINDLASS_TRY(addSelection(request, training));
  if (std::filesystem::path(request.model).extension() != ".onnx") {
    training.microBatch = std::max<int64_t>(training.microBatch, 1);
    mlir::MLIRContext context;
    Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importInputs(context, request, training);
    return module ? reportOf(**module) : module.status();
  }
  Result<OnnxDescription> description = describeOnnx(request.model, training, request.onnx);
  if (!description)
    return description.status();
  StateNames names;
  for (const onnx::FirstValues &values : description->values)
    (values.isStatistic ? names.statistics : names.parameters).push_back(values.parameter);
  WINDLASS_TRY(checkSelection(request, training, names));
  return description->report + noteOfMeeting(request, training, description->report);
}

} // namespace windlass
