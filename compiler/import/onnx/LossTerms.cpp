#include "compiler/import/onnx/LossTerms.h"

#include "compiler/import/onnx/Views.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

ValueId number(NodeMaker &maker, double value) {
  return maker.literal(Literal::filled(DataType::Float, {1}, value));
}

/// The sum of all elements, of shape {1}.
ValueId total(NodeMaker &maker, ValueId id) {
  const int64_t count = elementsOf(maker.graph.at(id).shape);
  const ValueId row = maker.reshape(id, {count});
  return maker.make("ReduceSum", {row, maker.literal(Literal::ofIntegers({0}))}, {{"keepdims", int64_t(1)}});
}

/// How many labels are not the ignored one.
ValueId countOf(NodeMaker &maker, ValueId labels, int64_t ignored) {
  const Literal label = Literal::filled(maker.graph.at(labels).type, {1}, static_cast<double>(ignored));
  const ValueId counts = maker.make("Not", {maker.make("Equal", {labels, maker.literal(label)})});
  return total(maker, maker.make("Cast", {counts}, {{"to", static_cast<int64_t>(DataType::Float)}}));
}

/// The mean over the labels that count; 0 where none does.
ValueId meanOverLabels(NodeMaker &maker, ValueId rows, ValueId labels, int64_t ignored) {
  const ValueId count = maker.make("Max", {countOf(maker, labels, ignored), number(maker, 1)});
  return maker.make("Div", {total(maker, rows), count});
}

bool isInput(const Graph &graph, ValueId id) {
  return std::ranges::find(graph.inputs, id, &Input::value) != graph.inputs.end();
}

/// A loss for every label.
ValueId rowsOf(NodeMaker &maker, const CrossEntropy &loss) {
  return maker.make("SoftmaxCrossEntropyLoss", {loss.scores, loss.labels},
                    {{"reduction", std::string("none")},
                     {"ignore_index", loss.ignoredLabel},
                     {"smoothing", loss.smoothing}});
}

} // namespace

ValueId meanCrossEntropy(NodeMaker &maker, const CrossEntropy &loss) {
  return meanOverLabels(maker, rowsOf(maker, loss), loss.labels, loss.ignoredLabel);
}

LossTerm crossEntropyTerm(NodeMaker &maker, const CrossEntropy &loss, bool isSum) {
  Graph &graph = maker.graph;
  const ValueId input = viewed(graph, loss.labels);
  const bool isOfInput = isInput(graph, input);
  if (isOfInput)
    graph.ignoredLabels.try_emplace(input, loss.ignoredLabel);
  if (isSum)
    return {.number = total(maker, rowsOf(maker, loss))};
  // An input has one label that is ignored: that of the first loss that reads it.
  if (!isOfInput || graph.ignoredLabels.at(input) != loss.ignoredLabel)
    return {.number = meanCrossEntropy(maker, loss)};
  return {.rows = rowsOf(maker, loss), .labels = input, .ignored = loss.ignoredLabel};
}

int64_t examplesOf(const Graph &graph) { return graph.at(graph.inputs[0].value).shape[0]; }

ValueId sumOfTerms(NodeMaker &maker, const std::vector<LossTerm> &terms) {
  Graph &graph = maker.graph;
  auto counted = std::ranges::find_if(terms, [](const LossTerm &term) { return term.labels != kAbsent; });
  graph.countedLabels = counted == terms.end() ? kAbsent : counted->labels;
  auto isDirect = [&](const LossTerm &term) {
    return term.rows != kAbsent && term.labels == graph.countedLabels;
  };
  if (terms.size() == 1 && isDirect(terms[0]) && terms[0].weight == 1)
    return terms[0].rows;
  const double examples = static_cast<double>(examplesOf(graph));
  const ValueId times = graph.countedLabels == kAbsent
                            ? number(maker, examples)
                            : countOf(maker, graph.countedLabels, counted->ignored);
  ValueId sum = kAbsent;
  for (const LossTerm &term : terms) {
    ValueId value = term.number;
    if (term.rows != kAbsent && isDirect(term))
      value = total(maker, term.rows);
    else if (term.rows != kAbsent && term.labels != kAbsent)
      value = meanOverLabels(maker, term.rows, term.labels, term.ignored);
    else if (term.rows != kAbsent)
      value = maker.make("Div", {total(maker, term.rows), number(maker, examples)});
    if (!isDirect(term))
      value = maker.make("Mul", {maker.reshape(value, {1}), times});
    if (term.weight != 1)
      value = maker.make("Mul", {value, number(maker, term.weight)});
    sum = sum == kAbsent ? value : maker.make("Add", {sum, value});
  }
  return sum;
}

} // namespace windlass::onnx
