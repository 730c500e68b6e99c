// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradient, by their formulas.

#include "compiler/interpreter/Evaluators.h"
#include "compiler/interpreter/LoopNest.h"
#include "dialects/Graph/IR/decompositions/GraphDropout.h"
#include "runtime/base/Random.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace windlass::interpreter {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The layout of queries, keys or values: the place of a head's part of a token.
struct Part {
  const Tensor &tensor;
  int64_t tokens, first, columns, size;

  int64_t at(int64_t batch, int64_t token, int64_t head) const {
    return (batch * tokens + token) * columns + first + head * size;
  }
};

/// The layouts of the tensors of one attention.
struct Layout {
  int64_t batch, heads, kvHeads, queries, keys, size;
  bool causal;
  std::optional<int64_t> window;
  double scale;
  const Tensor *mask = nullptr;
  std::optional<Access> maskAt;
  std::optional<RandomStream> random; ///< the random stream of dropout
  int64_t block = 0;
  double rate = 0;
  int64_t allHeads, firstHead = 0; ///< of those that ranks share out
  Inputs inputs;

  /// `operands` are the op's `inputs`, `mask` and `random`.
  template <typename OpT>
  Layout(OpT op, Inputs operands)
      : Layout(op, operands.take_front(op.getInputs().size()),
               op.getMask() ? operands[op.getInputs().size()] : nullptr) {
    if (!op.getDropout() || op.getRandom().empty())
      return;
    Inputs drawn = operands.take_back(op.getRandom().size());
    if (auto within = op->template getAttrOfType<IntegerAttr>(graph::kWithin)) {
      allHeads = within.getInt();
      firstHead = static_cast<int64_t>(drawn[2]->data[0]) * heads;
    }
    auto word = [&](int64_t number) {
      return static_cast<uint32_t>(static_cast<int64_t>(drawn[0]->data[2 * op.getSite() + number]));
    };
    random.emplace(PhiloxKey{word(0), word(1)});
    block = static_cast<int64_t>(drawn[1]->data[0]);
    rate = op.getDropout()->convertToDouble();
  }
  template <typename OpT>
  Layout(OpT op, Inputs inputs, const Tensor *mask)
      : batch(op.getBatch()), heads(op.getHeads()), kvHeads(op.getKvHeads().value_or(heads)),
        queries(inputs.front()->shape[0] / batch), keys(inputs.back()->shape[0] / batch),
        size(inputs.front()->shape[1] / (inputs.size() == 1 ? 3 : 1) / heads), causal(op.getCausal()),
        window(op.getWindow()), scale(asF32(op.getScale() ? op.getScale()->convertToDouble()
                                                          : 1.0 / std::sqrt(static_cast<double>(size)))),
        mask(mask), allHeads(heads), inputs(inputs) {
    if (!mask)
      return;
    SmallVector<AffineExpr> indices;
    for (auto [dim, extent] : llvm::enumerate(mask->shape))
      indices.push_back(extent == 1 ? getAffineConstantExpr(0, op.getContext())
                                    : getAffineDimExpr(dim, op.getContext()));
    maskAt.emplace(AffineMap::get(4, 0, indices, op.getContext()), mask->shape);
  }

  /// Query (0), key (1) or value (2).
  Part part(int64_t which) const {
    if (inputs.size() == 1)
      return {*inputs[0], queries, which * heads * size, 3 * heads * size, size};
    return {*inputs[which], which == 0 ? queries : keys, 0, (which == 0 ? heads : kvHeads) * size, size};
  }
  int64_t keyHead(int64_t head) const { return head / (heads / kvHeads); }
  /// Start of a query's part of the result.
  int64_t mixed(int64_t b, int64_t t, int64_t h) const { return ((b * queries + t) * heads + h) * size; }
  int64_t row(int64_t b, int64_t h, int64_t t) const { return (b * heads + h) * queries + t; }
  /// The keys a query sees: [begin, end).
  int64_t begin(int64_t query) const { return window ? std::max<int64_t>(0, query - *window + 1) : 0; }
  int64_t end(int64_t query) const { return causal ? std::min(keys, query + 1) : keys; }

  double dot(const Tensor &a, int64_t from, const Tensor &b, int64_t with) const {
    double sum = 0;
    for (int64_t d = 0; d < size; ++d)
      sum += a.data[from + d] * b.data[with + d];
    return sum;
  }
  double score(int64_t b, int64_t h, int64_t t, int64_t s) const {
    Part q = part(0), k = part(1);
    double scaled = scale * dot(q.tensor, q.at(b, t, h), k.tensor, k.at(b, s, keyHead(h)));
    return scaled + masked(b, h, t, s);
  }
  double masked(int64_t b, int64_t h, int64_t t, int64_t s) const {
    return maskAt ? mask->data[maskAt->at({b, h, t, s})] : 0;
  }
  /// The base of a query, which is subtracted from its scores.
  double base(int64_t b, int64_t h, int64_t t) const {
    double largest = -kInfinity;
    for (int64_t s = begin(t); s < end(t); ++s)
      largest = std::max(largest, masked(b, h, t, s));
    return std::isinf(largest) ? 0 : largest;
  }
  /// The factor of a probability by dropout: 0 if it is dropped.
  double kept(int64_t b, int64_t h, int64_t t, int64_t s) const {
    if (!random)
      return 1;
    int64_t ofAll = ((block * batch + b) * allHeads + firstHead + h) * queries + t;
    bool stays = random->unit(s, ofAll) >= static_cast<float>(rate);
    return stays ? asF32(1 / (1 - rate)) : 0;
  }
  /// Calls `visit(b, h, query)` for every row of scores.
  template <typename Visit> void forEachQuery(Visit visit) const {
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t h = 0; h < heads; ++h)
        for (int64_t t = 0; t < queries; ++t)
          visit(b, h, t);
  }
};
} // namespace

static Result<Tensors> evaluateAttention(graph::AttentionOp op, Inputs operands, const Options &) {
  Layout at(op, operands);
  Part value = at.part(2);
  Tensor result(shapeOf(op.getResult())), lse(shapeOf(op.getLse()));
  at.forEachQuery([&](int64_t b, int64_t h, int64_t t) {
    std::vector<double> scores;
    const double base = at.base(b, h, t);
    for (int64_t s = at.begin(t); s < at.end(t); ++s)
      scores.push_back(at.score(b, h, t, s) - base);
    double max = -kInfinity, sum = 0;
    for (double score : scores)
      max = std::isnan(score) ? score : std::max(max, score);
    if (max == -kInfinity && (scores.empty() || at.mask)) { // the result is 0
      lse.data[at.row(b, h, t)] = kInfinity;
      return;
    }
    for (double score : scores)
      sum += std::exp(score - max);
    lse.data[at.row(b, h, t)] = max + std::log(sum);
    for (int64_t s = at.begin(t); s < at.end(t); ++s) {
      double p = std::exp(scores[s - at.begin(t)] - max) / sum * at.kept(b, h, t, s);
      for (int64_t d = 0; d < at.size; ++d)
        result.data[at.mixed(b, t, h) + d] += p * value.tensor.data[value.at(b, s, at.keyHead(h)) + d];
    }
  });
  return Tensors{result, lse};
}

static Result<Tensors> evaluateAttentionGrad(graph::AttentionGradOp op, Inputs operands, const Options &) {
  const Tensor &dO = *operands[0], &output = *operands[1], &lse = *operands[2];
  Layout at(op, operands.drop_front(3));
  Tensors results;
  for (const Tensor *input : at.inputs)
    results.emplace_back(ArrayRef(input->shape));
  if (op.hasMaskGradient())
    results.emplace_back(ArrayRef(at.mask->shape));
  Part q = at.part(0), k = at.part(1), v = at.part(2);
  bool isPacked = at.inputs.size() == 1;
  Tensor &dQ = results[0], &dK = results[isPacked ? 0 : 1], &dV = results[isPacked ? 0 : 2];
  at.forEachQuery([&](int64_t b, int64_t h, int64_t t) {
    int64_t query = q.at(b, t, h), mixed = at.mixed(b, t, h);
    double delta = at.dot(dO, mixed, output, mixed), base = at.base(b, h, t);
    for (int64_t s = at.begin(t); s < at.end(t); ++s) {
      int64_t key = k.at(b, s, at.keyHead(h)), value = v.at(b, s, at.keyHead(h));
      double p = std::exp(at.score(b, h, t, s) - base - lse.data[at.row(b, h, t)]);
      double kept = at.kept(b, h, t, s);
      double dMasked = p * (kept * at.dot(dO, mixed, v.tensor, value) - delta), dScore = dMasked * at.scale;
      if (op.hasMaskGradient())
        results.back().data[at.maskAt->at({b, h, t, s})] += dMasked;
      for (int64_t d = 0; d < at.size; ++d) {
        dQ.data[query + d] += dScore * k.tensor.data[key + d];
        dK.data[key + d] += dScore * q.tensor.data[query + d];
        dV.data[value + d] += kept * p * dO.data[mixed + d];
      }
    }
  });
  return results;
}

void addAttentionEvaluators(Interpreter &interpreter) {
  addLocal<graph::AttentionOp>(interpreter, evaluateAttention);
  addLocal<graph::AttentionGradOp>(interpreter, evaluateAttentionGrad);
}

} // namespace windlass::interpreter
