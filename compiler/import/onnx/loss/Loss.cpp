// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/loss/Loss.h"

#include "compiler/import/onnx/graph/Views.h"
#include "compiler/import/onnx/loss/LabelSmoothing.h"
#include "compiler/import/onnx/loss/LogLikelihood.h"
#include "compiler/import/onnx/loss/LossSpec.h"
#include "compiler/import/onnx/loss/LossTerms.h"
#include "compiler/import/onnx/recognize/Terms.h"
#include "runtime/base/Counted.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace windlass::onnx {
namespace {

std::string listed(const Graph &graph, const std::vector<ValueId> &ids) {
  std::string text;
  for (ValueId id : ids)
    text += (text.empty() ? "\"" : ", \"") + graph.at(id).name + "\" (" +
            std::string(wordOf(graph.at(id).type)) + " " + describe(graph.at(id).shape) + ")";
  return text.empty() ? "none" : text;
}

/// Sums and products, at most, that a loss is taken apart into. A few nodes that add a value to itself would
/// otherwise be more terms than memory can hold.
constexpr int kMostTaken = 4096;

/// What a message calls a value: its name, or else the operator that makes it.
std::string calledIn(const Graph &graph, ValueId value) {
  const std::string &name = graph.at(value).name;
  const Node *node = graph.at(viewed(graph, value)).producer;
  return name.empty() && node ? "an output of a `" + node->op + "`" : "\"" + name + "\"";
}

/// `weight` times a value, as a part of a sum.
struct Part {
  ValueId value = kAbsent;
  double weight = 1;
};

/// The parts of a sum, a difference, or a product with a number, in the order of the file; none of any other
/// value.
std::vector<Part> partsOf(const Graph &graph, const Part &whole) {
  const ValueId value = viewed(graph, whole.value);
  const Node *node = graph.at(value).producer;
  if (!node)
    return {};
  if (node->is("Add") || node->is("Sub"))
    return {{node->inputs[0], whole.weight},
            {node->inputs[1], node->is("Add") ? whole.weight : -whole.weight}};
  if (node->is("Neg"))
    return {{node->inputs[0], -whole.weight}};
  const Product product = productOf(graph, value);
  if (product.factors.size() == 1 && product.factors[0] != value)
    return {{product.factors[0], whole.weight * product.coefficient}};
  return {};
}

/// The value that sums of sums, or means of means, are taken of; `node` itself is of this operator.
ValueId reducedBy(const Graph &graph, const Node &node) {
  ValueId operand = node.inputs[0];
  while (const Node *inner = graph.producer(operand, node.op))
    operand = inner->inputs[0];
  return operand;
}

class LossFinder {
public:
  LossFinder(Graph &graph, const OnnxOptions &options, const std::optional<OtherBatch> &other,
             LossAccount &account)
      : graph(graph), maker(graph, graph.nodes), options(options), other(other), account(account),
        report(account.text) {}

  Status run() {
    std::vector<LossTerm> terms;
    WINDLASS_TRY(options.losses.empty() ? inGraph(terms) : appended(terms));
    for (const LossTerm &term : terms) {
      if (!std::isfinite(term.weight))
        return Status::badInput("the loss: a term must be multiplied by a finite number, is by " +
                                std::to_string(term.weight));
      account.weights.push_back(term.weight);
      account.factors.push_back(term.weight / term.perRow);
    }
    for (size_t i = 0; i < terms.size(); ++i)
      WINDLASS_TRY(settle(terms[i], other && other->weights.size() == terms.size() ? other->weights[i]
                                                                                   : terms[i].weight));
    const int64_t own =
        std::ranges::count_if(terms, [](const LossTerm &term) { return term.number != kAbsent; });
    if (own > 0)
      report += own < std::ssize(terms) ? ", in part a mean of what each micro-batch computes"
                                        : ", a mean of what each micro-batch computes";
    const ValueId losses = sumOfTerms(maker, terms);
    if (!maker.status())
      return maker.status();
    graph.outputs = {losses};
    graph.lossOutputs.clear();
    graph.removeDead();
    return spellOutMeans(graph);
  }

private:
  Status inGraph(std::vector<LossTerm> &terms);
  void addTerms(ValueId loss, std::vector<LossTerm> &terms);
  Status settle(LossTerm &term, double otherWeight);
  LossTerm termOf(ValueId value);
  LossTerm squaredError(const Node &reduced, bool isSum);
  LossTerm lossOfPairs(const char *op, ValueId x, ValueId y, bool isSum);
  Status appended(std::vector<LossTerm> &terms);
  Status append(const LossSpec &loss, LossTerm &term);
  Status pickLogits(const LossSpec &loss, ValueId &logits) const;
  Status pickLabels(const LossSpec &loss, DataType type, const Shape &shape, ValueId &labels);

  Graph &graph;
  NodeMaker maker;
  const OnnxOptions &options;
  const std::optional<OtherBatch> &other;
  LossAccount &account;
  std::string &report;
};

//===----------------------------------------------------------------------===//
// A loss that is an output of the file
//===----------------------------------------------------------------------===//

Status LossFinder::inGraph(std::vector<LossTerm> &terms) {
  std::vector<ValueId> candidates = graph.lossOutputs;
  auto isScalar = [&](ValueId id) {
    return isFloat(graph.at(id).type) && elementsOf(graph.at(id).shape) == 1;
  };
  if (candidates.empty())
    std::ranges::copy_if(graph.outputs, std::back_inserter(candidates), isScalar);
  if (candidates.size() > 1)
    std::erase_if(candidates, [&](ValueId id) { return graph.at(id).name != "loss"; });
  if (candidates.size() != 1 || !isScalar(candidates[0]))
    return Status::badInput(
        "no output is the loss: one must be a single number, or be called \"loss\"; or name one "
        "with --loss cross-entropy --logits NAME --labels NAME; outputs are " +
        listed(graph, graph.outputs));
  report = "output \"" + graph.at(candidates[0]).name + "\"";
  addTerms(candidates[0], terms);
  return Status::ok();
}

/// Adds the terms of the sum that a loss is, in the order of the file. A loss that is no sum is one term. So
/// is a sum within it where the loss was taken apart into too many.
void LossFinder::addTerms(ValueId loss, std::vector<LossTerm> &terms) {
  std::vector<Part> left = {{loss, 1}}; // the next one last
  for (int taken = 0; !left.empty();) {
    const Part part = left.back();
    left.pop_back();
    const std::vector<Part> parts = taken < kMostTaken ? partsOf(graph, part) : std::vector<Part>();
    if (!parts.empty()) {
      ++taken;
      left.insert(left.end(), parts.rbegin(), parts.rend());
      continue;
    }
    const ValueId value = viewed(graph, part.value);
    LossTerm &term = terms.emplace_back(termOf(value));
    term.weight *= part.weight;
    term.origin = graph.at(value).name.empty() ? part.value : value;
  }
}

/// Decides on a term whose weight is `otherWeight` for the other micro-batch. A sum over the whole batch that
/// is divided by its size is a mean of what micro-batches compute, whose weights are that of the micro-batch.
Status LossFinder::settle(LossTerm &term, double otherWeight) {
  const bool isConstant = isClose(otherWeight, term.weight);
  const auto examples = static_cast<double>(examplesOf(graph));
  const bool isShare =
      !isConstant && isClose(otherWeight * static_cast<double>(other->examples), term.weight * examples);
  if (term.rows != kAbsent && !isConstant && !(term.isSum && isShare))
    return Status::badInput("the loss: a term is multiplied by " + std::to_string(term.weight) + " for " +
                            counted(examplesOf(graph), "example") + ", and by " +
                            std::to_string(otherWeight) + " for " + std::to_string(other->examples) +
                            ": divide a sum by a size of the batch, or use a number that is none");
  if (term.rows != kAbsent && !isConstant) {
    term = {.weight = term.weight, .number = sumOfRows(maker, term.rows)};
    return Status::ok();
  }
  if (term.number == kAbsent || graph.at(term.number).literal || !graph.dependsOnData(term.number))
    return Status::ok();
  const Node *node = graph.at(viewed(graph, term.number)).producer;
  const bool isMean = node && ((node->is("ReduceMean") && isConstant) || (node->is("ReduceSum") && isShare));
  if (!isMean)
    account.warnings.push_back(
        "the loss: " + calledIn(graph, term.origin == kAbsent ? term.number : term.origin) +
        " is the mean of what each micro-batch computes, which may be another number "
        "than that of the whole batch (docs/onnx.md)");
  return Status::ok();
}

/// A term: the mean or sum of known rows, or else a number.
LossTerm LossFinder::termOf(ValueId value) {
  const Node *node = graph.at(viewed(graph, value)).producer;
  if (node && node->is("SoftmaxCrossEntropyLoss")) {
    const std::string *reduction = node->attribute<std::string>("reduction");
    const ValueId weights = node->has(2) ? node->inputs[2] : kAbsent;
    const bool isReduced = !reduction || *reduction != "none";
    if (isReduced && (weights == kAbsent || graph.at(weights).literal))
      return crossEntropyTerm(maker,
                              {node->inputs[0], node->inputs[1], node->integer("ignore_index", -100),
                               smoothingOf(*node), weights},
                              reduction && *reduction == "sum");
  }
  LossTerm squares;
  if (node && (node->is("ReduceMean") || node->is("ReduceSum")))
    squares = squaredError(*node, node->is("ReduceSum"));
  return squares.rows == kAbsent ? LossTerm{.number = value} : squares;
}

/// The mean or sum of `op` on all pairs of elements. The training loop divides by the number of examples, so
/// rows are one loss per example. If examples cannot be told apart, the term is a number.
LossTerm LossFinder::lossOfPairs(const char *op, ValueId x, ValueId y, bool isSum) {
  const int64_t elements = elementsOf(graph.at(x).shape), examples = examplesOf(graph);
  const bool areTold = elements % examples == 0;
  const Shape form = {areTold ? examples : 1, areTold ? elements / examples : elements};
  const double perRow = isSum ? static_cast<double>(form[1]) : 1;
  LossTerm term{.weight = perRow, .isSum = isSum, .perRow = perRow};
  (areTold ? term.rows : term.number) = maker.makeOwn(op, {maker.reshape(x, form), maker.reshape(y, form)});
  return term;
}

/// The term of a mean or sum of (x - y)^2, by example; no term for anything else. A term of parameters alone
/// is no sum over examples, as it is the same in every micro-batch.
LossTerm LossFinder::squaredError(const Node &reduced, bool isSum) {
  const ValueId operand = reducedBy(graph, reduced);
  const Node *square = graph.producer(operand, "Pow");
  const Node *difference = nullptr;
  if (square) {
    const Literal *exponent = graph.at(square->inputs[1]).literal.get();
    if (exponent && exponent->size() == 1 && exponent->real(0) == 2)
      difference = graph.producer(square->inputs[0], "Sub");
  } else if ((square = graph.producer(operand, "Mul"))) { // exporters may write the difference twice
    difference = graph.producer(square->inputs[0], "Sub");
    const Node *again = graph.producer(square->inputs[1], "Sub");
    if (difference && (!again || again->inputs != difference->inputs))
      difference = nullptr;
  }
  if (!difference)
    return {};
  const ValueId x = difference->inputs[0], y = difference->inputs[1];
  return graph.at(x).shape == graph.at(y).shape && elementsOf(graph.at(x).shape) > 0 &&
                 graph.dependsOnData(square->outputs[0])
             ? lossOfPairs("MeanSquaredError", x, y, isSum)
             : LossTerm();
}

//===----------------------------------------------------------------------===//
// A loss that the user names
//===----------------------------------------------------------------------===//

Status LossFinder::pickLogits(const LossSpec &loss, ValueId &logits) const {
  std::vector<ValueId> candidates;
  std::ranges::copy_if(graph.outputs, std::back_inserter(candidates), [&](ValueId id) {
    return isFloat(graph.at(id).type) && (loss.logits.empty() || graph.at(id).name == loss.logits);
  });
  if (candidates.size() > 1)
    std::erase_if(candidates, [&](ValueId id) { return graph.at(id).name != "logits"; });
  if (candidates.size() != 1 || graph.at(candidates[0]).shape.empty())
    return Status::badInput("--logits: must name one of the outputs " + listed(graph, graph.outputs) +
                            (loss.logits.empty() ? "" : ", is \"" + loss.logits + "\""));
  logits = candidates[0];
  return Status::ok();
}

/// Picks the input of the labels: an input of the file, or a new one, whose first dimension is the examples.
Status LossFinder::pickLabels(const LossSpec &loss, DataType type, const Shape &shape, ValueId &labels) {
  const std::string name = loss.labels.empty() ? "labels" : loss.labels;
  labels = graph.find(name);
  if (labels == kAbsent) {
    const int64_t elements = elementsOf(shape), examples = examplesOf(graph);
    if (elements % examples != 0)
      return Status::badInput("--labels " + name + ": must be an input of the file, since " +
                              counted(elements, "label") + " cannot be shared out to " +
                              counted(examples, "example"));
    Value value;
    value.name = name;
    value.type = type;
    value.shape = shape[0] == examples ? shape : Shape{examples, elements / examples};
    labels = graph.add(std::move(value));
    graph.inputs.push_back({labels, {}});
    for (int64_t extent : graph.at(labels).shape)
      graph.inputs.back().dims.emplace_back(std::in_place_type<int64_t>, extent);
    return Status::ok();
  }
  const Value &found = graph.at(labels);
  if (std::ranges::find(graph.inputs, labels, &Input::value) == graph.inputs.end() ||
      elementsOf(found.shape) != elementsOf(shape) || isFloat(found.type) != isFloat(type))
    return Status::badInput("--labels " + name + ": must be an input of " + std::string(wordOf(type)) + " " +
                            describe(shape) + ", or a new name");
  return Status::ok();
}

Status LossFinder::append(const LossSpec &loss, LossTerm &term) {
  ValueId logits = kAbsent, labels = kAbsent;
  WINDLASS_TRY(pickLogits(loss, logits));
  const Shape shape = graph.at(logits).shape;
  if (elementsOf(shape) == 0)
    return Status::badInput("--logits: must have elements, is " + onnx::describe(shape));
  report += (report.empty() ? "" : " + ") + describe(loss) + " of \"" + graph.at(logits).name + "\"";
  if (loss.kind != LossKind::CrossEntropy) {
    WINDLASS_TRY(pickLabels(loss, DataType::Float, shape, labels));
    const char *op = loss.kind == LossKind::MeanSquares ? "MeanSquaredError" : "BinaryCrossEntropy";
    term = lossOfPairs(op, logits, labels, loss.isSum);
    term.weight *= loss.weight;
    return Status::ok();
  }
  if (shape.size() < 2)
    return Status::badInput("--logits: must have classes as the last dimension, is " + onnx::describe(shape));
  const Shape rows(shape.begin(), shape.end() - 1);
  const int64_t count = elementsOf(rows);
  WINDLASS_TRY(pickLabels(loss, DataType::Int64, rows, labels));
  const ValueId matrix = maker.reshape(logits, {count, shape.back()}),
                column = maker.reshape(labels, {count});
  term = crossEntropyTerm(maker, {matrix, column, loss.ignoredLabel, loss.smoothing}, loss.isSum);
  term.weight = loss.weight;
  return Status::ok();
}

/// Appends the losses that the user names. --logits and --labels are for a single loss.
Status LossFinder::appended(std::vector<LossTerm> &terms) {
  if (options.losses.size() > 1 && !(options.logits.empty() && options.labels.empty()))
    return Status(ExitCode::Usage,
                  "--logits, --labels: must stand within --loss where there are several of them");
  for (const std::string &text : options.losses) {
    Result<LossSpec> loss = parseLoss(text);
    if (!loss)
      return loss.status().in("--loss");
    loss->logits = options.logits.empty() ? loss->logits : options.logits;
    loss->labels = options.labels.empty() ? loss->labels : options.labels;
    WINDLASS_TRY(append(*loss, terms.emplace_back()));
  }
  return Status::ok();
}

} // namespace

bool multipliesLoss(const Graph &graph) {
  static const std::set<std::string_view> linear = {"Add",      "Sub",  "Neg",      "Mul",   "Div",
                                                    "Identity", "Cast", "CastLike", "Detach"};
  const auto isKnown = [&](ValueId id) { return id != kAbsent && graph.at(id).literal; };
  std::set<ValueId> seen;
  std::vector<ValueId> left = graph.outputs;
  left.insert(left.end(), graph.lossOutputs.begin(), graph.lossOutputs.end());
  while (!left.empty()) {
    const ValueId id = left.back();
    left.pop_back();
    const Node *node = id == kAbsent ? nullptr : graph.at(id).producer;
    if (!node || elementsOf(graph.at(id).shape) != 1 || !seen.insert(id).second ||
        !(linear.contains(node->op) || isView(*node)))
      continue;
    if ((node->is("Mul") || node->is("Div")) && std::ranges::any_of(node->inputs, isKnown))
      return true;
    left.insert(left.end(), node->inputs.begin(), node->inputs.end());
  }
  return false;
}

Status attachLoss(Graph &graph, const OnnxOptions &options, const std::optional<OtherBatch> &other,
                  LossAccount &account) {
  WINDLASS_TRY(recognizeLogLikelihoods(graph));
  return LossFinder(graph, options, other, account).run();
}

} // namespace windlass::onnx
