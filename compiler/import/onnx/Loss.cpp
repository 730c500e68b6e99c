#include "compiler/import/onnx/Loss.h"

#include "compiler/import/onnx/Rewrite.h"
#include "compiler/import/onnx/Views.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

std::string listed(const Graph &graph, const std::vector<ValueId> &ids) {
  std::string text;
  for (ValueId id : ids)
    text += (text.empty() ? "\"" : ", \"") + graph.at(id).name + "\" (" +
            std::string(wordOf(graph.at(id).type)) + " " + describe(graph.at(id).shape) + ")";
  return text.empty() ? "none" : text;
}

class LossFinder {
public:
  LossFinder(Graph &graph, const OnnxOptions &options, std::string &report)
      : graph(graph), maker(graph, graph.nodes), options(options), report(report) {}

  Status run() {
    ValueId losses = kAbsent;
    WINDLASS_TRY(options.loss.empty() ? inGraph(losses) : appended(losses));
    if (!maker.status())
      return maker.status();
    graph.outputs = {losses};
    graph.lossOutputs.clear();
    graph.removeDead();
    return Status::ok();
  }

private:
  Status inGraph(ValueId &losses);
  ValueId lossesOf(ValueId loss);
  ValueId squaredError(const Node &mean);
  Status appended(ValueId &losses);
  Status pickLogits(ValueId &logits) const;
  Status pickLabels(ValueId &labels, DataType type, const Shape &shape);

  Graph &graph;
  NodeMaker maker;
  const OnnxOptions &options;
  std::string &report;
};

//===----------------------------------------------------------------------===//
// A loss that is an output of the file
//===----------------------------------------------------------------------===//

Status LossFinder::inGraph(ValueId &losses) {
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
  losses = lossesOf(candidates[0]);
  return Status::ok();
}

/// The losses of rows whose mean over labels or examples a loss is. Any other number counts once for each
/// example of the micro-batch, so that the sum divided by the number of examples is the mean over
/// micro-batches.
ValueId LossFinder::lossesOf(ValueId loss) {
  const Node *node = graph.at(viewed(graph, loss)).producer;
  if (node && node->is("SoftmaxCrossEntropyLoss")) {
    const std::string *reduction = node->attribute<std::string>("reduction");
    if (!reduction || *reduction == "mean") {
      NodeMaker::Attributes attributes = node->attributes;
      attributes["reduction"] = std::string("none");
      return maker.make(node->op, node->inputs, attributes);
    }
  }
  if (node && node->is("ReduceMean"))
    if (const ValueId rows = squaredError(*node); rows != kAbsent)
      return rows;
  const double examples = static_cast<double>(graph.at(graph.inputs[0].value).shape[0]);
  return maker.make("Mul", {loss, maker.literal(Literal::filled(DataType::Float, {1}, examples))});
}

/// For mean((x - y)^2): the losses of examples.
ValueId LossFinder::squaredError(const Node &mean) {
  const Node *square = graph.producer(mean.inputs[0], "Pow");
  const Node *difference = nullptr;
  if (square) {
    const Literal *exponent = graph.at(square->inputs[1]).literal.get();
    if (exponent && exponent->size() == 1 && exponent->real(0) == 2)
      difference = graph.producer(square->inputs[0], "Sub");
  } else if ((square = graph.producer(mean.inputs[0], "Mul")) && square->inputs[0] == square->inputs[1]) {
    difference = graph.producer(square->inputs[0], "Sub");
  }
  if (!difference)
    return kAbsent;
  const ValueId x = difference->inputs[0], y = difference->inputs[1];
  return graph.at(x).shape == graph.at(y).shape && !graph.at(x).shape.empty()
             ? maker.makeOwn("MeanSquaredError", {x, y})
             : kAbsent;
}

//===----------------------------------------------------------------------===//
// A loss that the user names
//===----------------------------------------------------------------------===//

Status LossFinder::pickLogits(ValueId &logits) const {
  std::vector<ValueId> candidates;
  std::ranges::copy_if(graph.outputs, std::back_inserter(candidates), [&](ValueId id) {
    return isFloat(graph.at(id).type) && (options.logits.empty() || graph.at(id).name == options.logits);
  });
  if (candidates.size() > 1)
    std::erase_if(candidates, [&](ValueId id) { return graph.at(id).name != "logits"; });
  if (candidates.size() != 1 || graph.at(candidates[0]).shape.empty())
    return Status::badInput("--logits: must name one of the outputs " + listed(graph, graph.outputs) +
                            (options.logits.empty() ? "" : ", is \"" + options.logits + "\""));
  logits = candidates[0];
  return Status::ok();
}

/// An input of the file, or a new one.
Status LossFinder::pickLabels(ValueId &labels, DataType type, const Shape &shape) {
  const std::string name = options.labels.empty() ? "labels" : options.labels;
  labels = graph.find(name);
  if (labels == kAbsent) {
    Value value;
    value.name = name;
    value.type = type;
    value.shape = shape;
    labels = graph.add(std::move(value));
    graph.inputs.push_back({labels, {}});
    for (int64_t extent : shape)
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

Status LossFinder::appended(ValueId &losses) {
  ValueId logits = kAbsent, labels = kAbsent;
  WINDLASS_TRY(pickLogits(logits));
  const Shape shape = graph.at(logits).shape;
  report = options.loss + " of \"" + graph.at(logits).name + "\"";
  if (options.loss != "cross-entropy") {
    WINDLASS_TRY(pickLabels(labels, DataType::Float, shape));
    losses = maker.makeOwn(options.loss == "mse" ? "MeanSquaredError" : "BinaryCrossEntropy",
                           {logits, maker.reshape(labels, shape)});
    return Status::ok();
  }
  if (shape.size() < 2)
    return Status::badInput("--logits: must have classes as the last dimension, is " + describe(shape));
  const Shape rows(shape.begin(), shape.end() - 1);
  const int64_t count = elementsOf(rows);
  WINDLASS_TRY(pickLabels(labels, DataType::Int64, rows));
  losses = maker.make("SoftmaxCrossEntropyLoss",
                      {maker.reshape(logits, {count, shape.back()}), maker.reshape(labels, {count})},
                      {{"reduction", std::string("none")}});
  return Status::ok();
}

} // namespace

Status attachLoss(Graph &graph, const OnnxOptions &options, std::string &report) {
  return LossFinder(graph, options, report).run();
}

} // namespace windlass::onnx
