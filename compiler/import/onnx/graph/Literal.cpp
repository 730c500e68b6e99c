// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/graph/Literal.h"

#include "runtime/base/Units.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

/// The value rounded to the type; half types are rounded to f32.
double rounded(DataType type, double value) {
  return type == DataType::Double ? value : static_cast<double>(static_cast<float>(value));
}

int64_t wrapped(DataType type, int64_t value) {
  if (type == DataType::Bool)
    return value != 0;
  if (type == DataType::Int32)
    return static_cast<int32_t>(value);
  return type == DataType::Uint8 ? static_cast<uint8_t>(value) : value;
}

} // namespace

bool isDataType(int64_t number) {
  constexpr DataType known[] = {DataType::Float, DataType::Uint8,   DataType::Int32,  DataType::Int64,
                                DataType::Bool,  DataType::Float16, DataType::Double, DataType::BFloat16};
  return std::ranges::any_of(known, [&](DataType type) { return static_cast<int64_t>(type) == number; });
}

std::string_view wordOf(DataType type) {
  switch (type) {
  case DataType::Undefined:
    return "undefined";
  case DataType::Float:
    return "float";
  case DataType::Uint8:
    return "uint8";
  case DataType::Int32:
    return "int32";
  case DataType::Int64:
    return "int64";
  case DataType::Bool:
    return "bool";
  case DataType::Float16:
    return "float16";
  case DataType::Double:
    return "double";
  case DataType::BFloat16:
    return "bfloat16";
  }
  return "undefined";
}

int64_t bytesOf(DataType type) {
  switch (type) {
  case DataType::Undefined:
    return 0;
  case DataType::Uint8:
  case DataType::Bool:
    return 1;
  case DataType::Float16:
  case DataType::BFloat16:
    return 2;
  case DataType::Float:
  case DataType::Int32:
    return 4;
  case DataType::Int64:
  case DataType::Double:
    return 8;
  }
  return 0;
}

bool isFloat(DataType type) {
  return type == DataType::Float || type == DataType::Float16 || type == DataType::Double ||
         type == DataType::BFloat16;
}

int64_t elementsOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string describe(const Shape &shape) { return formatShape(shape); }

Shape withoutLeadingOnes(const Shape &shape) {
  return {std::ranges::find_if(shape, [](int64_t extent) { return extent != 1; }), shape.end()};
}

Shape stridesOf(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

Literal Literal::ofIntegers(std::vector<int64_t> values, DataType type) {
  return {type, {static_cast<int64_t>(values.size())}, {}, std::move(values)};
}

Literal Literal::filled(DataType type, Shape shape, double value) {
  Literal literal{type, std::move(shape), {}, {}};
  const size_t count = static_cast<size_t>(literal.size());
  if (literal.isFloat())
    literal.reals.assign(count, rounded(type, value));
  else
    literal.integers.assign(count, wrapped(type, static_cast<int64_t>(value)));
  return literal;
}

void Literal::set(int64_t i, double value) {
  if (isFloat())
    reals[static_cast<size_t>(i)] = rounded(type, value);
  else
    setInteger(i, static_cast<int64_t>(value));
}

void Literal::setInteger(int64_t i, int64_t value) {
  if (isFloat())
    set(i, static_cast<double>(value));
  else
    integers[static_cast<size_t>(i)] = wrapped(type, value);
}

Literal Literal::reshaped(Shape other) const {
  Literal result = *this;
  result.shape = std::move(other);
  return result;
}

Literal Literal::picked(Shape resultShape, const std::vector<int64_t> &from) const {
  Literal result{type, std::move(resultShape), {}, {}};
  for (int64_t at : from) {
    if (isFloat())
      result.reals.push_back(reals[static_cast<size_t>(at)]);
    else
      result.integers.push_back(integers[static_cast<size_t>(at)]);
  }
  return result;
}

bool Literal::isUniform() const {
  return isFloat() ? std::ranges::adjacent_find(reals, std::not_equal_to()) == reals.end()
                   : std::ranges::adjacent_find(integers, std::not_equal_to()) == integers.end();
}

std::vector<int64_t> broadcastOffsets(const Shape &shape, const Shape &result) {
  Shape strides(result.size(), 0), own = stridesOf(shape);
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1)
      strides[result.size() - shape.size() + d] = own[d];
  std::vector<int64_t> offsets;
  offsets.reserve(static_cast<size_t>(elementsOf(result)));
  forEachIndex(result, [&](const Shape &index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * strides[d];
    offsets.push_back(at);
  });
  return offsets;
}

} // namespace windlass::onnx
