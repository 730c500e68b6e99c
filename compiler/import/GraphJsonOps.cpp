#include "compiler/import/GraphJsonOps.h"

#include "dialects/Graph/IR/GraphBuilders.h"

using namespace mlir;
using namespace windlass::graph;

namespace windlass {
namespace {

/// One operation while it is read.
struct Op {
  JsonReader &place;
  const Dimensions &dims;
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> in;

  RankedTensorType type(size_t i) const { return typeOf(in[i]); }
  int64_t dim(size_t i, int64_t d) const { return type(i).getDimSize(d); }
  int64_t rank(size_t i) const { return type(i).getRank(); }
  int64_t last(size_t i) const { return type(i).getShape().back(); }

  /// Notes that input i breaks a rule.
  bool need(bool holds, size_t i, const std::string &rule) const {
    if (!holds)
      place.at("in").at(i).fail(rule + ", is " + describeShape(type(i).getShape()) +
                                (isa<IntegerType>(type(i).getElementType()) ? " of integers" : ""));
    return holds;
  }
  bool needFloats(size_t i) const {
    return need(isa<FloatType>(type(i).getElementType()), i, "must hold floating-point numbers");
  }
  bool needIntegers(size_t i) const {
    return need(isa<IntegerType>(type(i).getElementType()), i, "must hold integers");
  }
  bool needVector(size_t i, int64_t size) const {
    return needFloats(i) &&
           need(rank(i) == 1 && dim(i, 0) == size, i, "must be a vector of " + std::to_string(size));
  }
  bool needMatrix(size_t i) const { return needFloats(i) && need(rank(i) == 2, i, "must be a matrix"); }
  bool flag(std::string_view key) const { return place.has(key) && place.at(key).boolean(); }
};

Value elementwise(Op &op, ScalarFn body) {
  return op.needFloats(0) ? buildElementwise(op.builder, op.loc, op.in[0], op.type(0), body) : Value();
}

Value buildEmbeddingOp(Op &op) {
  if (!op.needMatrix(0) || !op.needIntegers(1))
    return {};
  Shape shape(op.type(1).getShape());
  shape.push_back(op.dim(0, 1));
  return EmbeddingOp::create(op.builder, op.loc, tensorType(shape, op.type(0).getElementType()), op.in[0],
                             op.in[1]);
}

/// The index in dimension `dim` of every element: what a table of positions is read with.
Value buildPositions(Op &op) {
  int64_t dim = op.place.at("dim").integer(0, op.rank(0) - 1);
  if (!op.place.isOk())
    return {};
  RankedTensorType type = tensorType(op.type(0).getShape(), op.builder.getI32Type());
  return buildMap(op.builder, op.loc, {}, {}, type,
                  [&](const Scalars &s, ValueRange) { return s.index(dim, op.builder.getI32Type()); });
}

Value buildMatmul(Op &op) {
  bool transposed = op.flag("trans_b");
  if (!op.needMatrix(0) || !op.needMatrix(1))
    return {};
  int64_t k = op.dim(0, 1);
  std::string rule = std::string("must have ") + std::to_string(k) + (transposed ? " columns" : " rows");
  if (!op.need(op.dim(1, transposed ? 1 : 0) == k, 1, rule))
    return {};
  RankedTensorType type =
      tensorType({op.dim(0, 0), op.dim(1, transposed ? 0 : 1)}, op.type(0).getElementType());
  return MatmulOp::create(op.builder, op.loc, type, op.in[0], op.in[1], false, transposed);
}

Value buildAddOp(Op &op) {
  if (!op.needFloats(0) || !op.needFloats(1))
    return {};
  ArrayRef<int64_t> whole = op.type(0).getShape(), part = op.type(1).getShape();
  bool isSuffix = part.size() <= whole.size() && whole.take_back(part.size()) == part;
  if (!op.need(isSuffix, 1, "must have the last dimensions of " + describeShape(whole)))
    return {};
  MLIRContext *context = op.builder.getContext();
  SmallVector<unsigned> loops =
      llvm::to_vector(llvm::seq<unsigned>(whole.size() - part.size(), whole.size()));
  return buildMap(op.builder, op.loc, op.in,
                  {identityMap(context, whole.size()), loopsMap(context, whole.size(), loops)}, op.type(0),
                  [](const Scalars &s, ValueRange x) { return s.add(x[0], x[1]); });
}

Value buildLayerNorm(Op &op) {
  double epsilon = op.place.at("eps").number(1e-30, 1);
  if (!op.place.isOk() || !op.needMatrix(0) || !op.needVector(1, op.last(0)) || !op.needVector(2, op.last(0)))
    return {};
  RankedTensorType row = tensorType({op.dim(0, 0)}, op.builder.getF32Type());
  return LayerNormOp::create(op.builder, op.loc, op.type(0), row, row, op.in[0], op.in[1], op.in[2],
                             llvm::APFloat(epsilon))
      .getResult();
}

Value buildGelu(Op &op) {
  constexpr std::string_view forms[] = {"tanh", "erf"};
  bool isErf = op.place.has("form") && op.place.at("form").choice(forms) == 1;
  return elementwise(op, [&](const Scalars &s, ValueRange in) -> Value {
    Value x = in[0], half = s.mul(s.like(x, 0.5), x), shape;
    if (isErf) {
      shape = math::ErfOp::create(s.builder, s.loc, s.mul(x, s.like(x, 0.70710678118654752440)));
    } else {
      Value cube = s.mul(s.mul(x, x), x);
      Value inner = s.add(x, s.mul(s.like(x, 0.044715), cube));
      shape = math::TanhOp::create(s.builder, s.loc, s.mul(s.like(x, 0.79788456080286535588), inner));
    }
    return s.mul(half, s.add(s.like(x, 1), shape));
  });
}

Value buildRelu(Op &op) {
  return elementwise(op, [](const Scalars &s, ValueRange x) {
    Value zero = s.like(x[0], 0);
    return s.select(s.compare(arith::CmpFPredicate::OGT, x[0], zero), x[0], zero);
  });
}

Value buildTanh(Op &op) {
  return elementwise(op, [](const Scalars &s, ValueRange x) -> Value {
    return math::TanhOp::create(s.builder, s.loc, x[0]);
  });
}

Value buildAttention(Op &op) {
  int64_t batch = op.dims.size(op.place.at("batch")), heads = op.dims.size(op.place.at("heads"));
  bool causal = op.flag("causal");
  if (!op.place.isOk() || !op.needMatrix(0) ||
      !op.need(op.dim(0, 0) % batch == 0, 0, "must have a multiple of " + std::to_string(batch) + " rows") ||
      !op.need(op.dim(0, 1) % (3 * heads) == 0, 0, "must have 3 x heads x size columns"))
    return {};
  int64_t rows = op.dim(0, 0);
  RankedTensorType result = tensorType({rows, op.dim(0, 1) / 3}, op.type(0).getElementType());
  RankedTensorType lse = tensorType({batch, heads, rows / batch}, op.builder.getF32Type());
  return AttentionOp::create(op.builder, op.loc, result, lse, op.in[0], batch, heads, causal).getResult();
}

Value buildCrossEntropy(Op &op) {
  if (!op.needMatrix(0) || !op.needIntegers(1) ||
      !op.need(op.rank(1) == 1 && op.dim(1, 0) == op.dim(0, 0), 1,
               "must be a vector of " + std::to_string(op.dim(0, 0)) + " labels"))
    return {};
  RankedTensorType row = tensorType({op.dim(0, 0)}, op.builder.getF32Type());
  return CrossEntropyOp::create(op.builder, op.loc, row, row, op.in[0], op.in[1]).getLosses();
}

/// Per example the mean of the squared differences.
Value buildMse(Op &op) {
  if (!op.needMatrix(0) || !op.needFloats(1) ||
      !op.need(op.type(1).getShape() == op.type(0).getShape(), 1,
               "must be " + describeShape(op.type(0).getShape())))
    return {};
  AffineMap identity = identityMap(op.builder.getContext(), 2);
  double columns = static_cast<double>(op.dim(0, 1));
  return buildReduce(op.builder, op.loc, Combine::Sum, {1}, op.in, {identity, identity},
                     tensorType({op.dim(0, 0)}, op.builder.getF32Type()),
                     [&](const Scalars &s, ValueRange x) {
                       Value difference = s.sub(x[0], x[1]);
                       return s.div(s.mul(difference, difference), s.like(difference, columns));
                     });
}

Value buildReshapeOp(Op &op) {
  Shape shape = op.dims.shape(op.place.at("shape"));
  if (!op.place.isOk())
    return {};
  if (tensorType(shape, op.type(0).getElementType()).getNumElements() != op.type(0).getNumElements()) {
    op.need(false, 0, "must have the elements of " + describeShape(shape));
    return {};
  }
  return buildReshape(op.builder, op.loc, op.in[0], shape);
}

struct Entry {
  std::string_view name, inputs, keys, meaning;
  Value (*build)(Op &);
};

constexpr Entry kOps[] = {
    {"embedding", "table, indices", "", "rows of a table: indices' shape, then a row", buildEmbeddingOp},
    {"positions", "x", "dim", "for every element of x its index in dimension dim, as integers",
     buildPositions},
    {"matmul", "a, b", "trans_b (false)", "product of two matrices; with trans_b of a and b transposed",
     buildMatmul},
    {"add", "x, y", "", "sum; y may lack leading dimensions of x (a bias)", buildAddOp},
    {"layer_norm", "x, scale, shift", "eps", "normalises rows, then scales and shifts", buildLayerNorm},
    {"gelu", "x", "form: tanh (default), erf", "Gaussian error linear unit", buildGelu},
    {"relu", "x", "", "the larger of x and 0", buildRelu},
    {"tanh", "x", "", "hyperbolic tangent", buildTanh},
    {"attention", "qkv", "batch, heads, causal (false)",
     "self-attention; columns of qkv: queries, keys, values, each heads x size; batch sequences one below "
     "the other",
     buildAttention},
    {"cross_entropy", "logits, labels", "",
     "per row: minus the log-probability of its label; 0 for label -100", buildCrossEntropy},
    {"mse", "x, targets", "", "per row: mean of the squared differences", buildMse},
    {"reshape", "x", "shape", "the same elements, row-major, under another shape", buildReshapeOp},
};

/// The names of an entry's inputs are separated by commas.
size_t inputCount(const Entry &entry) { return llvm::count(entry.inputs, ',') + 1; }

const Entry *findEntry(JsonReader place) {
  SmallVector<std::string_view> names;
  for (const Entry &entry : kOps)
    names.push_back(entry.name);
  size_t index = place.choice(names);
  return place.isOk() ? &kOps[index] : nullptr;
}

} // namespace

void buildOp(JsonReader place, const Dimensions &dims, ValueTable &values, OpBuilder &builder) {
  const Entry *entry = findEntry(place.at("op"));
  if (!entry)
    return;
  Location loc = NameLoc::get(builder.getStringAttr(place.place()));
  Op op{place, dims, builder, loc, {}};
  JsonReader in = place.at("in"), out = place.at("out");
  if (in.size() != inputCount(*entry) && in.isOk())
    in.fail("must be " + std::to_string(inputCount(*entry)) + " names (" + std::string(entry->inputs) +
            "), is " + std::to_string(in.size()));
  for (size_t i = 0; place.isOk() && i < inputCount(*entry); ++i)
    op.in.push_back(values.find(in.at(i)));
  if (!place.isOk())
    return;
  Value result = entry->build(op);
  place.finish();
  if (place.isOk())
    values.define(out, result);
}

Value buildSum(OpBuilder &builder, Location loc, Value tensor) {
  RankedTensorType type = typeOf(tensor);
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return buildReduce(builder, loc, Combine::Sum, dims, tensor,
                     identityMap(builder.getContext(), type.getRank()), tensorType({}, builder.getF32Type()),
                     [](const Scalars &s, ValueRange x) { return x[0]; });
}

std::string graphJsonOpTable() {
  std::string table = "| op | in | keys (default) | result |\n| --- | --- | --- | --- |\n";
  for (const Entry &entry : kOps)
    table += "| `" + std::string(entry.name) + "` | " + std::string(entry.inputs) + " | " +
             std::string(entry.keys) + " | " + std::string(entry.meaning) + " |\n";
  return table;
}

} // namespace windlass
