#include "compiler/import/ImportOnnx.h"

#include "compiler/import/GraphJson.h"
#include "compiler/import/onnx/DescribeOnnx.h"

namespace windlass {

Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(mlir::MLIRContext &context, const std::string &path,
                                                     const TrainingOptions &training,
                                                     const OnnxOptions &options) {
  Result<OnnxDescription> description = describeOnnx(path, training, options);
  if (!description)
    return description.status();
  return buildGraph(context, description->document, path, description->document.dump(2), training);
}

} // namespace windlass
