// Losses, and the dropout before them.
#include "compiler/import/onnx/Writer.h"
#include "compiler/import/onnx/ops/Operator.h"

namespace windlass::onnx {
namespace {

/// Scores of rows x classes (class in dimension 1), labels, and no weights.
std::vector<Type> inferCrossEntropy(OpView &op) {
  if (!op.needInputs(2, 3) || !op.need(!op.has(2), "class weights are not supported") ||
      !op.need(op.rank(0) >= 2 && op.rank(1) + 1 == op.rank(0) && !isFloat(op.type(1)),
               "must have scores of rows x classes and as many integer labels"))
    return {};
  const Shape rows = op.text("reduction", "mean") == "none" ? op.shape(1) : Shape();
  return {{op.type(0), rows}, op.typeOf(0)};
}

/// One loss per row, or their sum. Means are gone (LossTerms.h).
void writeCrossEntropy(OpView &op, Writer &writer) {
  const int64_t classes = op.shape(0)[1], rows = elementsOf(op.shape(1));
  const std::string reduction = op.text("reduction", "mean");
  std::string scores;
  if (op.rank(0) == 2) {
    scores = writer.as(op.in(0), {rows, classes});
  } else {
    std::vector<int64_t> perm = {0};
    Shape last = {op.shape(0)[0]};
    for (int64_t d = 2; d < op.rank(0); ++d) {
      perm.push_back(d);
      last.push_back(op.shape(0)[static_cast<size_t>(d)]);
    }
    perm.push_back(1);
    last.push_back(classes);
    const std::string moved =
        writer.intermediate({{"op", "transpose"}, {"in", {writer.as(op.in(0))}}, {"perm", perm}});
    scores = writer.intermediate({{"op", "reshape"}, {"in", {moved}}, {"shape", {rows, classes}}});
  }
  nlohmann::json json = {{"op", "cross_entropy"}, {"in", {scores, writer.as(op.in(1), {rows})}}};
  if (const int64_t ignored = op.integer("ignore_index", -100); ignored != -100)
    json["ignore_index"] = ignored;
  if (const double smoothing = op.real("smoothing", 0); smoothing != 0)
    json["smoothing"] = smoothing;
  if (reduction == "none")
    return writer.define(op.out(), json, {rows});
  const std::string each = writer.intermediate(json);
  writer.define(op.out(), {{"op", "reduce"}, {"in", {each}}, {"kind", "sum"}, {"dims", {0}}, {"keep", true}},
                {1});
}

constexpr Operator kOperators[] = {
    {"SoftmaxCrossEntropyLoss", "`cross_entropy`", inferCrossEntropy, nullptr, writeCrossEntropy},
    {"NegativeLogLikelihoodLoss", "with LogSoftmax `cross_entropy`", inferCrossEntropy, nullptr, nullptr},
};

} // namespace

std::span<const Operator> lossOperators() { return kOperators; }

} // namespace windlass::onnx
