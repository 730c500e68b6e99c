// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/operators/Broadcast.h"

#include <algorithm>

namespace windlass::onnx {
namespace {

Shape commonShape(OpView &op) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < op.inputs(); ++i)
    shapes.push_back(op.shape(i));
  return op.broadcast(shapes);
}

bool isSuffix(const Shape &part, const Shape &whole) {
  return part.size() <= whole.size() && std::equal(part.rbegin(), part.rend(), whole.rbegin());
}

/// The shape to compute in: that in which an operand of the result's shape was written, if all others
/// broadcast to it; else the shape of the result.
Shape chooseForm(OpView &op, Writer &writer) {
  const Shape whole = op.result().shape;
  for (size_t i = 0; i < op.inputs(); ++i) {
    if (op.literal(i) || op.shape(i) != whole)
      continue;
    const Shape form = writer.held(op.in(i));
    bool fits = true;
    for (size_t j = 0; j < op.inputs(); ++j)
      fits &= op.shape(j) == whole || isSuffix(withoutLeadingOnes(op.shape(j)), form);
    if (fits)
      return form;
  }
  return whole;
}

} // namespace

std::vector<Type> inferSame(OpView &op) { return {{op.type(0), commonShape(op)}}; }

std::vector<Type> inferBool(OpView &op) { return {{DataType::Bool, commonShape(op)}}; }

std::vector<Literal> evaluateEach(OpView &op, const RealFunction &real, const IntegerFunction &integer) {
  Literal result = Literal::filled(op.result().type, op.result().shape, 0);
  const size_t count = op.inputs();
  std::vector<std::vector<int64_t>> offsets;
  bool isReal = false;
  for (size_t i = 0; i < count; ++i) {
    offsets.push_back(broadcastOffsets(op.shape(i), result.shape));
    isReal |= op.literal(i)->isFloat();
  }
  if (!op.need(isReal ? static_cast<bool>(real) : static_cast<bool>(integer),
               isReal ? "must be integers" : "must be floating-point numbers"))
    return {};
  std::vector<double> reals(count);
  std::vector<int64_t> integers(count);
  for (int64_t at = 0; at < result.size(); ++at) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t from = offsets[i][static_cast<size_t>(at)];
      if (isReal)
        reals[i] = op.literal(i)->real(from);
      else
        integers[i] = op.literal(i)->integers[static_cast<size_t>(from)];
    }
    if (isReal)
      result.set(at, real(reals));
    else
      result.setInteger(at, integer(integers));
  }
  return {std::move(result)};
}

void writeEach(OpView &op, Writer &writer, nlohmann::json operation) {
  const Shape whole = op.result().shape, form = chooseForm(op, writer);
  nlohmann::json in = nlohmann::json::array();
  for (size_t i = 0; i < op.inputs(); ++i) {
    if (op.shape(i) == whole)
      in.push_back(writer.as(op.in(i), form));
    else
      in.push_back(writer.as(op.in(i), form == whole ? op.shape(i) : withoutLeadingOnes(op.shape(i))));
  }
  operation["in"] = in;
  writer.define(op.out(), std::move(operation), form);
}

} // namespace windlass::onnx
