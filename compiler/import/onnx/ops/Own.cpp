// What graph JSON has and ONNX lacks.
#include "compiler/import/onnx/Writer.h"
#include "compiler/import/onnx/ops/Operator.h"

namespace windlass::onnx {
namespace {

/// Two tensors of the same shape, one loss per example.
std::vector<Type> inferRowLoss(OpView &op) {
  if (!op.needInputs(2, 2) || !op.need(op.shape(0) == op.shape(1) && op.rank(0) > 0,
                                       "must have two tensors of one shape, has " + describe(op.shape(0)) +
                                           " and " + describe(op.shape(1))))
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

constexpr Operator kOperators[] = {
    {"MeanSquaredError", "`mse`", inferRowLoss, nullptr, writeMse},
    {"BinaryCrossEntropy", "`bce_with_logits`", inferRowLoss, nullptr, writeBce},
};

} // namespace

std::span<const Operator> ownOperators() { return kOperators; }

} // namespace windlass::onnx
