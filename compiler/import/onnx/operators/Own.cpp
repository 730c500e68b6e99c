// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that graph JSON has and ONNX lacks.
#include "compiler/import/onnx/operators/Operator.h"
#include "compiler/import/onnx/operators/Writer.h"

namespace windlass::onnx {
namespace {

/// Two tensors of the same shape, one loss per row.
std::vector<Type> inferRowLoss(OpView &op) {
  if (!op.need(op.shape(0) == op.shape(1) && op.rank(0) > 0, "must have two tensors of one shape, has " +
                                                                 describe(op.shape(0)) + " and " +
                                                                 describe(op.shape(1))))
    return {};
  return {{op.type(0), {op.shape(0)[0]}}};
}

void writeRows(OpView &op, Writer &writer, const char *name) {
  const int64_t rows = op.shape(0)[0], columns = elementsOf(op.shape(0)) / rows;
  writer.define(op.out(),
                {{"op", name}, {"in", {writer.matrix(op.in(0), columns), writer.matrix(op.in(1), columns)}}},
                {rows});
}

void writeMse(OpView &op, Writer &writer) { writeRows(op, writer, "mse"); }
void writeBce(OpView &op, Writer &writer) { writeRows(op, writer, "bce_with_logits"); }

/// Queries or keys of batch x sequence x (heads * size), and tables of sequence x size / 2.
std::vector<Type> inferRotary(OpView &op) {
  const int64_t heads = op.integer("heads", 0);
  if (!op.needElements(0) ||
      !op.need(op.rank(0) == 3 && heads > 0, "must be batch x sequence x (heads * size)") ||
      !op.need(op.shape(1) == op.shape(2) && op.rank(1) == 2 && op.shape(1)[0] == op.shape(0)[1] &&
                   2 * op.shape(1)[1] * heads == op.shape(0)[2],
               "tables must be of sequence x half the size of a head"))
    return {};
  return {op.typeOf(0)};
}

void writeRotary(OpView &op, Writer &writer) {
  const int64_t columns = op.shape(0)[2];
  nlohmann::json json = {{"op", "rotary"},
                         {"in", {writer.matrix(op.in(0), columns), writer.as(op.in(1)), writer.as(op.in(2))}},
                         {"heads", op.integer("heads", 0)},
                         {"batch", op.shape(0)[0]}};
  if (op.integer("interleaved", 0) != 0)
    json["interleaved"] = true;
  writer.define(op.out(), json, {elementsOf(op.shape(0)) / columns, columns});
}

std::vector<Type> inferDetach(OpView &op) { return {op.typeOf(0)}; }

/// Evaluates Detach: a known value has no gradient anyway.
std::vector<Literal> evaluateDetach(OpView &op) { return {*op.literal(0)}; }

void writeDetach(OpView &op, Writer &writer) {
  const Shape form = writer.held(op.in(0));
  writer.define(op.out(), {{"op", "detach"}, {"in", {writer.as(op.in(0), form)}}}, form);
}

/// Inputs: the losses and, for a mean over labels, the labels (LossTerms.h).
std::vector<Type> inferMean(OpView &op) {
  if (!op.need(isFloat(op.type(0)), "must be of losses"))
    return {};
  return {op.typeOf(0)};
}

void writeMean(OpView &op, Writer &writer) {
  nlohmann::json json = {{"op", "mean_over"}, {"in", {writer.as(op.in(0))}}};
  if (!op.has(1)) {
    json["of"] = op.text("of", "examples");
    return writer.define(op.out(), json);
  }
  json["in"].push_back(writer.as(op.in(1)));
  json["ignored"] = op.integer("ignored", 0);
  if (const int64_t first = op.integer("first", 0); first != 0)
    json["first"] = first;
  if (const auto *weights = op.node.attribute<std::vector<double>>("class_weights"))
    json["class_weights"] = *weights;
  writer.define(op.out(), json);
}

constexpr Operator kOperators[] = {
    {"MeanSquaredError", "`mse`", 2, 2, inferRowLoss, nullptr, writeMse},
    {"Rotary", "`rotary`", 3, 3, inferRotary, nullptr, writeRotary},
    {"Detach", "`detach`", 1, 1, inferDetach, evaluateDetach, writeDetach},
    {"MeanOver", "`mean_over`", 1, 2, inferMean, nullptr, writeMean},
    {"BinaryCrossEntropy", "`bce_with_logits`", 2, 2, inferRowLoss, nullptr, writeBce},
};

} // namespace

std::span<const Operator> ownOperators() { return kOperators; }

} // namespace windlass::onnx
