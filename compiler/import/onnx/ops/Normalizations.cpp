// Norms over the last dimension.
#include "compiler/import/onnx/Writer.h"
#include "compiler/import/onnx/ops/Operator.h"

namespace windlass::onnx {
namespace {

constexpr double kEpsilon = 1e-5; ///< where the node gives none

/// x, scale and for layer norms a shift; the statistics in results 1 and 2 are not read.
std::vector<Type> inferNorm(OpView &op) {
  if (!op.needInputs(2, op.node.op == "LayerNormalization" ? 3 : 2) ||
      !op.need(op.rank(0) > 0, "must be numbers of rank 1 or more"))
    return {};
  const int64_t axis = op.axis("axis", -1, op.rank(0));
  const int64_t width = op.isOk() ? op.shape(0).back() : 0;
  if (!op.need(axis + 1 == op.rank(0),
               "only the last dimension can be normalised, axis is " + std::to_string(axis)))
    return {};
  for (size_t i = 1; i < op.inputs(); ++i)
    if (op.has(i) && !op.need(elementsOf(op.shape(i)) == width,
                              "scale and shift must have " + std::to_string(width) + " elements"))
      return {};
  return std::vector<Type>(op.node.outputs.size(), op.typeOf(0));
}

void writeLayerNorm(OpView &op, Writer &writer) {
  const int64_t width = op.shape(0).back();
  nlohmann::json in = {writer.matrix(op.in(0), width), writer.as(op.in(1), {width})};
  if (op.has(2))
    in.push_back(writer.as(op.in(2), {width}));
  else
    in.push_back(
        writer.intermediate({{"op", "constant"}, {"value", 0}, {"type", "f32"}, {"shape", {width}}}));
  writer.define(op.out(), {{"op", "layer_norm"}, {"in", in}, {"eps", op.real("epsilon", kEpsilon)}},
                {elementsOf(op.shape(0)) / width, width});
}

void writeRmsNorm(OpView &op, Writer &writer) {
  const int64_t width = op.shape(0).back();
  writer.define(op.out(),
                {{"op", "rms_norm"},
                 {"in", {writer.matrix(op.in(0), width), writer.as(op.in(1), {width})}},
                 {"eps", op.real("epsilon", kEpsilon)}},
                {elementsOf(op.shape(0)) / width, width});
}

constexpr Operator kOperators[] = {
    {"LayerNormalization", "`layer_norm`", inferNorm, nullptr, writeLayerNorm},
    {"RMSNormalization", "`rms_norm`", inferNorm, nullptr, writeRmsNorm},
};

} // namespace

std::span<const Operator> normalizationOperators() { return kOperators; }

} // namespace windlass::onnx
