#include "compiler/import/onnx/DescribeOnnx.h"

#include "compiler/import/onnx/BindDimensions.h"
#include "compiler/import/onnx/Document.h"
#include "compiler/import/onnx/FindBlocks.h"
#include "compiler/import/onnx/FoldConstants.h"
#include "compiler/import/onnx/Loss.h"
#include "compiler/import/onnx/Reader.h"
#include "compiler/import/onnx/Report.h"
#include "compiler/import/onnx/Simplify.h"
#include "compiler/import/onnx/recognize/Recognize.h"
#include <filesystem>

namespace windlass {
namespace {

/// Everything between the file and the document.
Status prepare(onnx::Graph &graph, const TrainingOptions &training, const OnnxOptions &options,
               onnx::ParameterTable &parameters, onnx::Report &report) {
  WINDLASS_TRY(onnx::checkOperators(graph));
  Result<onnx::ParameterTable> decided = onnx::decideParameters(graph, options);
  if (!decided)
    return decided.status();
  parameters = decided.take();
  WINDLASS_TRY(onnx::bindDimensions(graph, {training.microBatch, training.sequence, options.dims}));
  WINDLASS_TRY(onnx::foldConstants(graph));
  WINDLASS_TRY(onnx::simplify(graph, training.dropout == Dropout::Off));
  WINDLASS_TRY(onnx::attachLoss(graph, options, report.loss));
  WINDLASS_TRY(onnx::recognize(graph, report.recognized));
  return onnx::simplify(graph, true);
}

} // namespace

Result<OnnxDescription> describeOnnx(const std::string &path, const TrainingOptions &training,
                                     const OnnxOptions &options) {
  Result<onnx::Graph> graph = onnx::readOnnx(path);
  if (!graph)
    return graph.status();
  onnx::ParameterTable parameters;
  onnx::Report report;
  if (Status prepared = prepare(*graph, training, options, parameters, report); !prepared)
    return prepared.in(path);
  Result<nlohmann::json> document = onnx::writeDocument(*graph, parameters);
  if (!document)
    return document.status();
  onnx::findBlocks(*document);
  (*document)["name"] = std::filesystem::path(path).stem().string();
  return OnnxDescription{document.take(), onnx::describe(report, *graph, parameters)};
}

} // namespace windlass
