// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/DescribeOnnx.h"

#include "compiler/import/onnx/Report.h"
#include "compiler/import/onnx/document/Document.h"
#include "compiler/import/onnx/document/FindBlocks.h"
#include "compiler/import/onnx/document/Sampling.h"
#include "compiler/import/onnx/file/Reader.h"
#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/loss/LabelSmoothing.h"
#include "compiler/import/onnx/loss/Loss.h"
#include "compiler/import/onnx/recognize/RandomMasks.h"
#include "compiler/import/onnx/recognize/Recognize.h"
#include "compiler/import/onnx/repair/Detach.h"
#include "compiler/import/onnx/repair/PaddingRows.h"
#include "compiler/import/onnx/rewrite/BindDimensions.h"
#include "compiler/import/onnx/rewrite/FoldConstants.h"
#include "compiler/import/onnx/rewrite/Simplify.h"
#include <filesystem>

namespace windlass {
namespace {

/// All steps between reading the file and writing the document.
Status prepare(onnx::Graph &graph, const TrainingOptions &training, const OnnxOptions &options,
               onnx::ParameterTable &parameters, onnx::Report &report) {
  WINDLASS_TRY(onnx::checkOperators(graph));
  Result<onnx::BatchNorms> norms = onnx::settleBatchNorms(graph, options);
  if (!norms)
    return norms.status();
  report.batchNorms = norms.take();
  WINDLASS_TRY(onnx::settleDetached(graph));
  WINDLASS_TRY(onnx::settleSmoothing(graph));
  Result<onnx::ParameterTable> decided = onnx::decideParameters(graph, training, options);
  if (!decided)
    return decided.status();
  parameters = decided.take();
  Result<onnx::Account> account = onnx::balance(graph, parameters, report.batchNorms);
  if (!account)
    return account.status();
  report.account = account.take();
  WINDLASS_TRY(onnx::settlePadding(graph, options.padding, parameters));
  WINDLASS_TRY(onnx::bindDimensions(graph, {training.microBatch, training.sequence, options.dims}));
  WINDLASS_TRY(onnx::foldConstants(graph));
  report.otherwise = onnx::computedOtherwise(graph, training.compute);
  onnx::dropIdleDetaches(graph);
  WINDLASS_TRY(onnx::recognizeRandomMasks(graph));
  const bool dropoutIsOff = training.dropout == Dropout::Off;
  WINDLASS_TRY(onnx::simplify(graph, dropoutIsOff));
  WINDLASS_TRY(onnx::attachLoss(graph, options, report.loss));
  onnx::fixDetached(graph, parameters);
  WINDLASS_TRY(onnx::recognize(graph, report.recognized));
  return onnx::simplify(graph, dropoutIsOff);
}

/// A document without blocks, and the graph and report that it was made from.
struct Reading {
  onnx::Graph graph;
  onnx::ParameterTable parameters;
  onnx::Report report;
  nlohmann::json document;
};

Result<Reading> readFor(const std::string &path, TrainingOptions training, const OnnxOptions &options) {
  Result<onnx::Graph> graph = onnx::readOnnx(path);
  if (!graph)
    return graph.status();
  Reading reading{graph.take(), {}, {}, {}};
  if (training.microBatch == 0)
    training.microBatch = onnx::batchOf(reading.graph);
  if (Status prepared = prepare(reading.graph, training, options, reading.parameters, reading.report);
      !prepared)
    return prepared.in(path);
  Result<nlohmann::json> document = onnx::writeDocument(reading.graph, reading.parameters);
  if (!document)
    return document.status();
  reading.document = document.take();
  return reading;
}

/// Adds sampling to the document. If the file fixes the batch, it cannot be read for another one, and the
/// model gets no sampling.
void addSampling(Reading &reading, const std::string &path, TrainingOptions training,
                 const OnnxOptions &options) {
  const int64_t batch = training.microBatch;
  if (batch == 0 || !onnx::isCausalLanguageModel(reading.document))
    return;
  if (batch == 1)
    return onnx::addSampling(reading.document, {}, batch);
  ++training.microBatch;
  if (Result<Reading> other = readFor(path, training, options))
    onnx::addSampling(reading.document, other->document, batch);
}

} // namespace

Result<OnnxDescription> describeOnnx(const std::string &path, const TrainingOptions &training,
                                     const OnnxOptions &options) {
  Result<Reading> reading = readFor(path, training, options);
  if (!reading)
    return reading.status();
  addSampling(*reading, path, training, options);
  onnx::findBlocks(reading->document);
  reading->document["name"] = onnx::readable(std::filesystem::path(path).stem().string());
  return OnnxDescription{
      std::move(reading->document), onnx::describe(reading->report, reading->graph, reading->parameters),
      onnx::firstValues(reading->graph, reading->parameters),
      onnx::warnings(reading->report, reading->parameters), onnx::accountOf(reading->report, reading->graph)};
}

} // namespace windlass
