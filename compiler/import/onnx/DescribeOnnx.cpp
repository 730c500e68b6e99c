// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/DescribeOnnx.h"

#include "compiler/import/onnx/Report.h"
#include "compiler/import/onnx/document/Document.h"
#include "compiler/import/onnx/document/FindBlocks.h"
#include "compiler/import/onnx/document/Sampling.h"
#include "compiler/import/onnx/document/WholeNumbers.h"
#include "compiler/import/onnx/file/Reader.h"
#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/loss/LabelSmoothing.h"
#include "compiler/import/onnx/loss/Loss.h"
#include "compiler/import/onnx/loss/LossTerms.h"
#include "compiler/import/onnx/recognize/RandomMasks.h"
#include "compiler/import/onnx/recognize/Recognize.h"
#include "compiler/import/onnx/recognize/Terms.h"
#include "compiler/import/onnx/repair/Detach.h"
#include "compiler/import/onnx/repair/PaddingRows.h"
#include "compiler/import/onnx/rewrite/BindDimensions.h"
#include "compiler/import/onnx/rewrite/FoldConstants.h"
#include "compiler/import/onnx/rewrite/Simplify.h"
#include "runtime/base/Counted.h"
#include <algorithm>
#include <cmath>
#include <filesystem>

namespace windlass {
namespace {

/// All steps between reading the file and writing the document.
Status prepare(onnx::Graph &graph, const TrainingOptions &training, const OnnxOptions &options,
               const std::optional<onnx::OtherBatch> &other, onnx::ParameterTable &parameters,
               onnx::Report &report) {
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
  report.multipliesLoss = onnx::multipliesLoss(graph);
  onnx::dropIdleDetaches(graph);
  WINDLASS_TRY(onnx::recognizeRandomMasks(graph));
  const bool dropoutIsOff = training.dropout == Dropout::Off;
  WINDLASS_TRY(onnx::simplify(graph, dropoutIsOff));
  WINDLASS_TRY(onnx::attachLoss(graph, options, other, report.loss));
  onnx::fixDetached(graph, parameters);
  WINDLASS_TRY(onnx::recognize(graph, report.recognized));
  WINDLASS_TRY(onnx::simplify(graph, dropoutIsOff));
  return onnx::checkWholeNumbers(graph, report.wholeNumbers);
}

/// A document without blocks, and the graph and report that it was made from.
struct Reading {
  onnx::Graph graph;
  onnx::ParameterTable parameters;
  onnx::Report report;
  nlohmann::json document;
};

Result<Reading> readFor(const std::string &path, TrainingOptions training, const OnnxOptions &options,
                        const std::optional<onnx::OtherBatch> &other = std::nullopt,
                        onnx::HiddenStates hidden = onnx::HiddenStates::AsMade) {
  Result<onnx::Graph> graph = onnx::readOnnx(path);
  if (!graph)
    return graph.status();
  Reading reading{graph.take(), {}, {}, {}};
  if (training.microBatch == 0)
    training.microBatch = onnx::batchOf(reading.graph);
  if (Status prepared = prepare(reading.graph, training, options, other, reading.parameters, reading.report);
      !prepared)
    return prepared.in(path);
  Result<nlohmann::json> document = onnx::writeDocument(reading.graph, reading.parameters, hidden);
  if (!document)
    return document.status();
  reading.document = document.take();
  return reading;
}

/// Reads the file, and once more with more examples, if it multiplies the loss: a weight that changes is no
/// constant, and the file is then read knowing that. The weight of one size may be 1, as that of a sum over
/// four columns that is divided by four examples. A file may take even numbers of examples alone.
Result<Reading> readWithLoss(const std::string &path, const TrainingOptions &training,
                             const OnnxOptions &options) {
  Result<Reading> reading = readFor(path, training, options);
  if (!reading)
    return reading;
  if (!reading->report.multipliesLoss)
    return reading;
  onnx::LossAccount &loss = reading->report.loss;
  const int64_t examples = onnx::examplesOf(reading->graph);
  TrainingOptions larger = training;
  for (int64_t more : {examples + 1, 2 * examples}) {
    larger.microBatch = more;
    if (Result<Reading> other = readFor(path, larger, options))
      return readFor(path, training, options, onnx::OtherBatch{more, other->report.loss.weights});
  }
  for (double factor : loss.factors)
    if (const double count = 1 / factor / static_cast<double>(examples);
        count >= 1 && onnx::isClose(count, std::round(count)))
      loss.warnings.push_back("the loss: the file fixes " + counted(examples, "example") +
                              ", so that the weight " + std::to_string(factor) +
                              " counts as a constant; if it is one over their number, export the file with a "
                              "dynamic first dimension");
  return reading;
}

/// Adds sampling to the document. If the file fixes the batch, it cannot be read for another one, and the
/// model gets no sampling.
void addSampling(nlohmann::json &document, const std::string &path, TrainingOptions training,
                 const OnnxOptions &options, onnx::HiddenStates hidden) {
  const int64_t batch = training.microBatch;
  if (batch == 0 || !onnx::isCausalLanguageModel(document))
    return;
  if (batch == 1)
    return onnx::addSampling(document, {}, batch);
  ++training.microBatch;
  if (Result<Reading> other = readFor(path, training, options, std::nullopt, hidden))
    onnx::addSampling(document, other->document, batch);
}

/// Adds sampling, and finds blocks. Layers whose hidden states have other shapes than that of the first layer
/// are found where all are rows.
void finishDocument(Reading &reading, const std::string &path, const TrainingOptions &training,
                    const OnnxOptions &options) {
  addSampling(reading.document, path, training, options, onnx::HiddenStates::AsMade);
  onnx::findBlocks(reading.document);
  if (reading.document.contains("blocks") || !onnx::hasHiddenStates(reading.graph))
    return;
  Result<nlohmann::json> rows =
      onnx::writeDocument(reading.graph, reading.parameters, onnx::HiddenStates::AsRows);
  if (!rows)
    return;
  nlohmann::json found = *rows;
  onnx::findBlocks(found);
  if (!found.contains("blocks"))
    return;
  addSampling(*rows, path, training, options, onnx::HiddenStates::AsRows);
  onnx::findBlocks(*rows);
  reading.document = rows.take();
}

} // namespace

Result<OnnxDescription> describeOnnx(const std::string &path, const TrainingOptions &training,
                                     const OnnxOptions &options) {
  Result<Reading> reading = readWithLoss(path, training, options);
  if (!reading)
    return reading.status();
  if (training.microBatches * training.dataRanks == 1) // the micro-batch is the whole batch
    reading->report.loss.warnings.clear();
  finishDocument(*reading, path, training, options);
  reading->document["name"] = onnx::readable(std::filesystem::path(path).stem().string());
  return OnnxDescription{
      std::move(reading->document), onnx::describe(reading->report, reading->graph, reading->parameters),
      onnx::firstValues(reading->graph, reading->parameters),
      onnx::warnings(reading->report, reading->parameters), onnx::accountOf(reading->report, reading->graph)};
}

} // namespace windlass
