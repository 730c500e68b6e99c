// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/loss/LossTerms.h"

#include "compiler/import/onnx/loss/Labels.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

ValueId number(NodeMaker &maker, double value) {
  return maker.literal(Literal::filled(DataType::Float, {1}, value));
}

/// The number of labels other than the ignored one.
ValueId countOf(NodeMaker &maker, ValueId labels, int64_t ignored) {
  const Literal label = Literal::filled(maker.graph.at(labels).type, {1}, static_cast<double>(ignored));
  const ValueId counts = maker.make("Not", {maker.make("Equal", {labels, maker.literal(label)})});
  return sumOfRows(maker, maker.make("Cast", {counts}, {{"to", static_cast<int64_t>(DataType::Float)}}));
}

/// The loss of every label; if classes have weights, also the weighted mean.
ValueId entropyOf(NodeMaker &maker, const CrossEntropy &loss, const char *reduction) {
  std::vector<ValueId> inputs = {loss.scores, loss.labels};
  if (loss.classWeights != kAbsent)
    inputs.push_back(loss.classWeights);
  return maker.make("SoftmaxCrossEntropyLoss", std::move(inputs),
                    {{"reduction", std::string(reduction)},
                     {"ignore_index", loss.ignoredLabel},
                     {"smoothing", loss.smoothing}});
}

/// The sum over a micro-batch of a term whose mean is over other numbers than that of the whole loss.
ValueId shareOf(NodeMaker &maker, const LossTerm &term) {
  const ValueId value = term.rows == kAbsent ? maker.reshape(term.number, {1}) : sumOfRows(maker, term.rows);
  if (term.labels != kAbsent) {
    NodeMaker::Attributes attributes = {{"ignored", term.counting.ignored}, {"first", term.counting.first}};
    if (!term.classWeights.empty())
      attributes["class_weights"] = term.classWeights;
    return maker.makeOwn("MeanOver", {value, term.labels}, attributes);
  }
  const char *of = term.isSum ? "batches" : term.rows == kAbsent ? "micro_batches" : "examples";
  return maker.makeOwn("MeanOver", {value}, {{"of", std::string(of)}});
}

} // namespace

ValueId sumOfRows(NodeMaker &maker, ValueId rows) {
  const int64_t count = elementsOf(maker.graph.at(rows).shape);
  const ValueId row = maker.reshape(rows, {count});
  return maker.make("ReduceSum", {row, maker.literal(Literal::ofIntegers({0}))}, {{"keepdims", int64_t(1)}});
}

int64_t examplesOf(const Graph &graph) { return graph.at(graph.inputs[0].value).shape[0]; }

ValueId meanCrossEntropy(NodeMaker &maker, const CrossEntropy &loss) {
  if (loss.classWeights != kAbsent)
    return maker.reshape(entropyOf(maker, loss, "mean"), {1});
  const ValueId count = maker.make("Max", {countOf(maker, loss.labels, loss.ignoredLabel), number(maker, 1)});
  return maker.make("Div", {sumOfRows(maker, entropyOf(maker, loss, "none")), count});
}

LossTerm crossEntropyTerm(NodeMaker &maker, const CrossEntropy &loss, bool isSum) {
  Graph &graph = maker.graph;
  const Labels labels = labelsOf(graph, loss.labels, loss.ignoredLabel);
  const Counting counting{loss.ignoredLabel, labels.first};
  graph.labels.try_emplace(elementsBehind(graph, loss.labels), counting);
  if (isSum)
    return {.rows = entropyOf(maker, loss, "none"), .isSum = true};
  if (labels.input == kAbsent)
    return {.number = meanCrossEntropy(maker, loss)};
  LossTerm term{.rows = entropyOf(maker, loss, "none"), .labels = labels.input, .counting = counting};
  if (loss.classWeights != kAbsent)
    term.classWeights = graph.at(loss.classWeights).literal->reals;
  return term;
}

ValueId sumOfTerms(NodeMaker &maker, const std::vector<LossTerm> &terms) {
  Graph &graph = maker.graph;
  // An input that is also looked up has tokens, none of which is ignored.
  auto counted = std::ranges::find_if(
      terms, [&](const LossTerm &term) { return term.labels != kAbsent && !isLookedUp(graph, term.labels); });
  graph.countedLabels = counted == terms.end() ? kAbsent : counted->labels;
  auto isDirect = [&](const LossTerm &term) {
    return term.rows != kAbsent && !term.isSum && term.labels == graph.countedLabels &&
           term.classWeights.empty() &&
           (term.labels == kAbsent || graph.labels.at(term.labels) == term.counting);
  };
  if (terms.size() == 1 && isDirect(terms[0]) && terms[0].weight == 1)
    return terms[0].rows;
  ValueId sum = kAbsent;
  for (const LossTerm &term : terms) {
    ValueId value = isDirect(term) ? sumOfRows(maker, term.rows) : shareOf(maker, term);
    if (term.weight != 1)
      value = maker.make("Mul", {value, number(maker, term.weight)});
    sum = sum == kAbsent ? value : maker.make("Add", {sum, value});
  }
  return sum;
}

} // namespace windlass::onnx
